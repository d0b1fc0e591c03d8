package dev.weir.model;

import dev.weir.limit.Limit;
import java.util.List;

/**
 * What a script is played on: a limiter, or the model of one. Requests are known by a number of the script's choosing. A step
 * that speaks of a request that is not there, or has no lease yet, does nothing.
 */
interface Subject {

    /** Asks, waiting if need be, within a bound of its own unless negative; plays the reaction when the answer comes. */
    void acquire(int who, int permits, long maxWaitNanos, List<Step> reaction);

    void tryAcquire(int who, int permits);

    void tryConsume(int permits);

    void cancel(int who);

    void close(int who);

    void settle(int who, int actualPermits);

    void giveBack(int who);

    void charge(int permits);

    void pause(long nanos);

    void reconfigure(Limit limit);

    void closeLimiter();

    /** Moves the clock on; timers fire in time. */
    void advance(long nanos);

    /** Moves the clock on at once; timers that fell due fire late. */
    void jump(long nanos);

    /** All timers fire now, early, and then once more. */
    void fireTimers();

    /** From now on the scheduler takes no tasks, or takes them again. */
    void refuseTasks(boolean refuse);

    /** The listener that is being called throws. */
    void fail();

    /** Everything that was heard so far, in order. */
    List<String> heard();

    /** Everything that can be read off. */
    String state();
}
