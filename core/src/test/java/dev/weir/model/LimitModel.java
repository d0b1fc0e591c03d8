package dev.weir.model;

import dev.weir.limit.AllOf;
import dev.weir.limit.Concurrency;
import dev.weir.limit.FixedWindow;
import dev.weir.limit.LeakyBucket;
import dev.weir.limit.Limit;
import dev.weir.limit.SlidingWindowLog;
import dev.weir.limit.TokenBucket;

/**
 * A limit as its documentation says it, for one thread and without a thought for speed. Times count in nanoseconds from the
 * creation of the limiter, so they begin at zero and never wrap.
 */
public interface LimitModel {

    /** The answer where time alone brings no permits. */
    long NEVER = Long.MAX_VALUE;

    /** Later than any script gets, sooner than any sum overflows. */
    long DOOMSDAY = 1L << 60;

    static LimitModel of(Limit limit) {
        if (limit instanceof SlidingWindowLog log) {
            return new ExactWindowModel(log);
        } else if (limit instanceof TokenBucket bucket) {
            return new BucketModel(bucket);
        } else if (limit instanceof LeakyBucket bucket) {
            return new BucketModel(bucket);
        } else if (limit instanceof FixedWindow window) {
            return new FixedWindowModel(window);
        } else if (limit instanceof Concurrency concurrency) {
            return new ConcurrencyModel(concurrency);
        } else if (limit instanceof AllOf several) {
            return new AllOfModel(several);
        }
        throw new IllegalArgumentException("no model of " + limit);
    }

    LimitModel copy();

    int capacity();

    /** Whether a request would pass; changes nothing. */
    boolean fits(int permits, long at);

    /** Takes permits that fit. */
    void take(int permits, long at);

    /** Takes permits, whether they are there or not. */
    void charge(int permits, long at);

    /** Undoes a take, as far as time has not done so already. */
    void giveBack(int permits, long takenAt, long at);

    /** A lease was closed of which so many permits are still out. */
    default void release(int permits) {}

    default boolean returnsOnRelease() {
        return false;
    }

    default void settle(int taken, int actual, boolean closed, long takenAt, long at) {
        if (closed && returnsOnRelease()) {
            return;
        }
        if (actual > taken) {
            charge(actual - taken, at);
        } else if (actual < taken) {
            giveBack(taken - actual, takenAt, at);
        }
    }

    long available(long at);

    /** Whether nothing that was ever taken matters any more. */
    boolean isFull(long at);

    void reconfigure(Limit limit, long at);

    /** The first instant at which a request would pass if so many permits went before it, one by one; nothing passes too early. */
    default long firstFit(long ahead, int permits, long at) {
        LimitModel future = copy();
        long instant = at;
        for (long taken = 0; taken < ahead && instant != NEVER; taken++) {
            instant = future.firstFit(1, instant);
            if (instant != NEVER) {
                future.take(1, instant);
            }
        }
        return instant == NEVER ? NEVER : future.firstFit(permits, instant);
    }

    /** The same, with nothing to wait for where time does not tell. */
    default long firstFitAsFarAsKnown(long ahead, int permits, long at) {
        long first = firstFit(ahead, permits, at);
        return first == NEVER ? at : first;
    }

    /** Found by halving: what fits at one instant fits at every later one, if nobody else asks. */
    private long firstFit(int permits, long at) {
        return Instants.first(at, instant -> fits(permits, instant));
    }
}
