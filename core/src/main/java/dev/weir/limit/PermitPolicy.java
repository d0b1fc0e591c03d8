package dev.weir.limit;

import org.jspecify.annotations.Nullable;

/**
 * The arithmetic of one limit: decides whether permits can be taken at a given time, and if not, when.
 *
 * <p>A policy knows neither clock nor queue nor user. Time is an argument, in nanoseconds of any origin, compared by
 * subtraction only, so that a clock may begin at {@link Long#MIN_VALUE} and wrap. Times may arrive slightly out of
 * order, as threads read the clock before they get here; a policy then never grants more than it would have in order. The exceptions:
 * windows that forget all at once ({@link FixedWindow}, {@link SlidingWindowCounter}, refills in steps) count a late thread in the
 * window that others have begun; an exact window to which permits were given back may grant them to a thread with an earlier clock;
 * and a bucket to which permits were given back by a clock behind that of a later take may grant as much more as flows in between.
 *
 * <p>Implementations are thread-safe and never park, take no lock that could, and call no user code. A request is
 * all or nothing. Except for zero, which probes, permits have been checked to lie between 1 and the capacity of the limit.
 */
public interface PermitPolicy {

    /** The answer of {@link #tryTake} when the permits have been taken. */
    long TAKEN = 0L;

    /**
     * The answer of {@link #tryTake} when time alone brings no permits: the caller waits until a lease is closed, permits
     * are given back, or the runnable passed to {@link #signalTo} is called.
     */
    long AWAIT_SIGNAL = Long.MAX_VALUE;

    /**
     * Takes permits, all or none.
     *
     * @param permits how many; zero takes nothing and answers as a request for one would be answered
     * @param nowNanos the time
     * @return {@link #TAKEN}, or {@link #AWAIT_SIGNAL}, or the nanoseconds until the same request would succeed if
     *     nobody else asked: after so many it does, after one less it does not. Never less than zero, which limiters take for a
     *     failure of the policy
     */
    long tryTake(int permits, long nowNanos);

    /**
     * Takes permits for the first of those who wait, oldest first: they stay first until they are served or leave. Called on one
     * thread at a time.
     *
     * <p>Unless overridden, as {@link #tryTake}. A policy that has to ask elsewhere may ask for all who wait at once, and book
     * what is not there yet: it then answers how long until that is due.
     *
     * @param permits how many the first one asks for, at least 1
     * @param waiting how many all of them ask for
     * @param longestNanos how long the first one waits at most: whoever has to wait for longer is refused, so nothing is to be booked
     *     for it; {@link Long#MAX_VALUE} for any time
     * @param nowNanos the time
     * @return as {@link #tryTake}
     */
    default long tryTakeFirst(int permits, long waiting, long longestNanos, long nowNanos) {
        return tryTake(permits, nowNanos);
    }

    /** Undoes whatever was arranged for those who wait: there are none any more, or nobody is to pass for a while. */
    default void standBack() {}

    /**
     * Ends what was arranged for those who would have asked: the limiter has been closed, and nobody asks any more. What is out may still
     * be settled and given back.
     *
     * <p>Unless overridden, nothing. A policy that has to ask elsewhere gives back there what it has at hand.
     */
    default void close() {}

    /**
     * Tells whether something other than the limit keeps permits from being taken: then nobody waits for them.
     *
     * @param nowNanos the time
     * @return what is in the way; unless overridden, nothing
     */
    default @Nullable Throwable trouble(long nowNanos) {
        return null;
    }

    /**
     * Tells who decides about requests.
     *
     * @param nowNanos the time of the request, as it was passed to {@link #tryTake}
     * @return who; unless overridden, this JVM
     */
    default DecisionSource source(long nowNanos) {
        return DecisionSource.LOCAL;
    }

    /**
     * Undoes a take: the permits return as if they had never been taken, as far as time has not returned them already.
     *
     * @param permits how many, at most as many as were taken then
     * @param takenAtNanos the time that was passed to {@link #tryTake}
     * @param nowNanos the time
     */
    void giveBack(int permits, long takenAtNanos, long nowNanos);

    /**
     * Undoes a take of which no use has been made, a moment after it, as whoever it was for needs more than that at the same time,
     * or has just left.
     *
     * <p>Unless overridden, as {@link #giveBack}. A policy that has to ask elsewhere may keep the permits at hand for a while: who
     * needs more often comes for them again.
     *
     * @param permits how many, as many as were taken then
     * @param takenAtNanos the time that was passed to {@link #tryTake}
     * @param nowNanos the time
     */
    default void putBack(int permits, long takenAtNanos, long nowNanos) {
        giveBack(permits, takenAtNanos, nowNanos);
    }

    /**
     * Takes permits unconditionally: where they are not there, the limit runs into debt, which is repaid by time.
     *
     * @param permits how many, possibly more than the capacity
     * @param nowNanos the time
     */
    void charge(int permits, long nowNanos);

    /**
     * Corrects a take when the true cost of the request is known: charges what was missing, or gives back what was too much.
     * Unlike {@link #giveBack} it leaves the request itself taken.
     *
     * <p>Unless overridden: the difference is charged or given back, except where closing the lease has returned all of it.
     *
     * @param taken how many permits were taken
     * @param actual how many it should have been
     * @param released whether {@link #release} has been called for it already
     * @param takenAtNanos the time that was passed to {@link #tryTake}
     * @param nowNanos the time
     */
    default void settle(int taken, int actual, boolean released, long takenAtNanos, long nowNanos) {
        if (released && returnsOnRelease()) {
            return;
        }
        if (actual > taken) {
            charge(actual - taken, nowNanos);
        } else if (actual < taken) {
            giveBack(taken - actual, takenAtNanos, nowNanos);
        }
    }

    /**
     * Returns how many permits could be taken now; negative while in debt.
     *
     * @param nowNanos the time
     * @return the number of permits
     */
    long available(long nowNanos);

    /**
     * Returns the nanoseconds until this policy equals a fresh one, if nobody asks: zero when nothing that was ever taken
     * matters any more.
     *
     * @param nowNanos the time
     * @return nanoseconds, zero when idle, {@link #AWAIT_SIGNAL} when time alone does not get there
     */
    long nanosUntilFull(long nowNanos);

    /**
     * Tells the policy whom to wake where permits can appear other than by time. Called once, before first use.
     *
     * @param drain to be called, from any thread, whenever permits have appeared; returns soon, never throws
     */
    default void signalTo(Runnable drain) {}

    /**
     * Returns the nanoseconds until so many permits could have been taken one after another, each as soon as the limit
     * allows, without taking any: what {@link #tryTake} would answer, were there no end to the size of a request.
     *
     * <p>Unless overridden: finds out by taking and giving back, and answers for the {@link #capacity} at most, which is a lower
     * bound.
     *
     * @param permits how many, at least 1, possibly more than the capacity
     * @param nowNanos the time
     * @return nanoseconds, zero if now, {@link #AWAIT_SIGNAL} if time alone does not tell
     */
    default long nanosUntil(long permits, long nowNanos) {
        int once = (int) Math.min(permits, capacity());
        long wait = tryTake(once, nowNanos);
        if (wait == TAKEN) {
            giveBack(once, nowNanos, nowNanos);
        }
        return wait;
    }

    /**
     * Returns the nanoseconds until a request could succeed if so many permits went before it, one by one.
     *
     * <p>Unless overridden: as if the permits of the request, too, went one by one; where no {@link #capacity} is told, as if none
     * went before, which is a lower bound.
     *
     * @param ahead how many permits go before, zero or more
     * @param permits the permits of the request, at least 1
     * @param nowNanos the time
     * @return nanoseconds, zero if now, {@link #AWAIT_SIGNAL} if time alone does not tell
     */
    default long nanosUntil(long ahead, int permits, long nowNanos) {
        return nanosUntil(capacity() == Integer.MAX_VALUE ? permits : ahead + permits, nowNanos);
    }

    /**
     * Returns the least that a request would have to wait if so many permits went before it, one by one: whoever may not wait so
     * long is refused at once.
     *
     * <p>Unless overridden: as {@link #nanosUntil(long, int, long)}, and nothing where time alone does not tell.
     *
     * @param ahead how many permits go before, zero or more
     * @param permits the permits of the request, at least 1
     * @param nowNanos the time
     * @return nanoseconds, zero if nothing is known
     */
    default long nanosAtLeast(long ahead, int permits, long nowNanos) {
        long wait = nanosUntil(ahead, permits, nowNanos);
        return wait == AWAIT_SIGNAL ? 0 : wait;
    }

    /**
     * Returns the largest request that can ever be granted, as far as the policy knows more than its {@link Limit#capacity limit}
     * does: a limiter asks for no more than either of them.
     *
     * @return a positive number of permits; unless overridden, no bound
     */
    default int capacity() {
        return Integer.MAX_VALUE;
    }

    /**
     * Returns for how long the policy has been full.
     *
     * @param nowNanos the time
     * @return nanoseconds; meaningless unless {@link #nanosUntilFull} is zero; unless overridden, zero
     */
    default long nanosSinceFull(long nowNanos) {
        return 0;
    }

    /**
     * Tells whether closing a lease returns its permits, as for a limit of concurrency, rather than time.
     *
     * @return whether {@link #release} does anything; constant over the life of a policy
     */
    default boolean returnsOnRelease() {
        return false;
    }

    /**
     * Tells whether time says anything about what can be taken. If not, {@link #tryTake} may be given any time, which saves
     * reading a clock.
     *
     * @return unless overridden, true; constant over the life of a policy
     */
    default boolean isTimed() {
        return true;
    }

    /**
     * As {@link #release}, but only if the time of the release does not matter, as others are still out. Else changes nothing.
     *
     * @param permits how many are still out; zero if all were given back when it was {@linkplain #settle settled}
     * @return whether they have been returned; unless overridden, they never are
     */
    default boolean releaseSome(int permits) {
        return false;
    }

    /**
     * Returns permits whose lease was closed, where it is the closing that returns them; otherwise does nothing. Called at most
     * once for a request that took any, and not if it was given back.
     *
     * @param permits how many are still out; zero if all were given back when it was {@linkplain #settle settled}
     * @param nowNanos the time
     */
    default void release(int permits, long nowNanos) {}

    /**
     * Changes the limit in place. What was granted stays granted and counts against the new limit.
     *
     * @param limit the new limit, of the class whose {@link Limit#newPolicy} made this policy
     * @param nowNanos the time
     * @throws IllegalArgumentException if this policy cannot be changed, or not to that limit; nothing has changed then
     */
    default void reconfigure(Limit limit, long nowNanos) {
        throw new IllegalArgumentException("This limiter cannot be reconfigured to " + limit);
    }
}
