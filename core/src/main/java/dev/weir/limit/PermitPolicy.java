package dev.weir.limit;

import org.jspecify.annotations.Nullable;

/**
 * Enforces one limit: decides whether permits can be taken at a given time, and if not, when.
 *
 * <p>A policy knows neither clock nor queue nor user. Time is an argument, in nanoseconds from any origin, and is compared by
 * subtraction only, so a clock may begin at {@link Long#MIN_VALUE} and wrap. Times may arrive slightly out of order, because
 * threads read the clock before they call the policy; a policy then never grants more than it would have in order. The
 * exceptions: windows that reset all at once ({@link FixedWindow}, {@link SlidingWindowCounter}, refills in steps) count a late
 * thread in the window that others have begun; a bucket to which permits were given back at a time before that of a later take may
 * grant as much more as flows in between the two; if the limit of a bucket or of such a window was changed at such a time, up to a
 * full limit more may be granted at once; and an exact window to which permits were given back may grant them to a late thread, and
 * counts them from the latest time that another has shown.
 *
 * <p>Implementations are thread-safe, never park, take no lock that could park, and call no user code. A request is all or
 * nothing. Except for zero, which only probes, the caller has checked that permits are between 1 and the capacity of the limit.
 *
 * <p>A policy of your own needs only the five abstract methods, which come first. Most of the others are for policies whose permits
 * return when a lease is closed, or are kept in a remote store.
 */
public interface PermitPolicy {

    /** Returned by {@link #tryTake} when the permits have been taken. */
    long TAKEN = 0L;

    /**
     * Returned by {@link #tryTake} when time alone makes no permits available: the caller waits until a lease is closed, permits
     * are given back, or the runnable passed to {@link #signalTo} is called.
     */
    long AWAIT_SIGNAL = Long.MAX_VALUE;

    // To be implemented

    /**
     * Takes permits, all or none.
     *
     * @param permits how many; zero takes nothing and returns what a request for one would return
     * @param nowNanos the time
     * @return {@link #TAKEN}, or {@link #AWAIT_SIGNAL}, or the number of nanoseconds until the same request would succeed if
     *     nobody else asked: it succeeds after exactly that time, but not one nanosecond earlier. Never negative; limiters treat
     *     a negative value as a failure of the policy
     */
    long tryTake(int permits, long nowNanos);

    /**
     * Undoes a take: the permits return as if they had never been taken, as far as they have not already returned with time.
     *
     * @param permits how many, at most as many as were taken by that call
     * @param takenAtNanos the time that was passed to {@link #tryTake}
     * @param nowNanos the time
     */
    void giveBack(int permits, long takenAtNanos, long nowNanos);

    /**
     * Takes permits unconditionally: if they are not available, the limit runs into debt, which is repaid by time.
     *
     * @param permits how many, possibly more than the capacity
     * @param nowNanos the time
     */
    void charge(int permits, long nowNanos);

    /**
     * Returns how many permits could be taken now; negative while in debt.
     *
     * @param nowNanos the time
     * @return the number of permits
     */
    long available(long nowNanos);

    /**
     * Returns the nanoseconds until this policy behaves like a new one if no more requests are made: zero when no earlier take
     * matters any more.
     *
     * @param nowNanos the time
     * @return nanoseconds, zero when idle, {@link #AWAIT_SIGNAL} when time alone does not lead there
     */
    long nanosUntilFull(long nowNanos);

    // What a policy may know better

    /**
     * Returns the nanoseconds until a request could succeed if {@code ahead} permits were taken before it, one by one, each as
     * soon as the limit allows. Takes nothing for good.
     *
     * <p>The default takes all these permits at once and gives them back to find out, see {@link #findsWaitByTaking}. It considers
     * at most {@link #capacity} permits; for more, its result is a lower bound. If the policy reports no capacity, the default
     * does not consider the permits ahead, and its result is a lower bound, too.
     *
     * @param ahead how many permits are taken before the request, zero or more, possibly more than the capacity
     * @param permits the permits of the request, at least 1
     * @param nowNanos the time; if {@link #findsWaitByTaking} is false, it may be to come: when a pause of the limiter ends
     * @return nanoseconds, zero if now, {@link #AWAIT_SIGNAL} if it does not depend on time alone
     */
    default long nanosUntil(long ahead, int permits, long nowNanos) {
        int most = capacity();
        int once = most == Integer.MAX_VALUE ? permits : (int) Math.min(Math.min(ahead, most) + permits, most);
        long wait = tryTake(once, nowNanos);
        if (wait == TAKEN) {
            giveBack(once, nowNanos, nowNanos);
        }
        return wait;
    }

    /**
     * Returns the minimum time that a request would have to wait behind others, whose permits are taken before it, one by one. A
     * request that may not wait that long is refused at once.
     *
     * <p>The default calls {@link #nanosUntil}, and returns zero if the result does not depend on time alone. It counts permits; a
     * policy that counts requests goes by their number instead.
     *
     * @param requestsAhead how many requests are granted before this one, zero or more
     * @param ahead how many permits these take together
     * @param permits the permits of the request, at least 1
     * @param nowNanos the time; as for {@link #nanosUntil}, it may be to come
     * @return nanoseconds, zero if nothing is known
     */
    default long nanosAtLeast(long requestsAhead, long ahead, int permits, long nowNanos) {
        long wait = nanosUntil(ahead, permits, nowNanos);
        return wait == AWAIT_SIGNAL ? 0 : wait;
    }

    /**
     * Returns whether permits may be taken for a moment to find out how long a request has to wait, as the default of
     * {@link #nanosUntil} does. A limiter asks again for the waiting requests after that, on the same thread, as permits may have
     * been missing for them at that moment. It does not ask such a policy about times to come, at which permits would be taken and
     * refilled ahead of time.
     *
     * @return by default, true; false if {@link #nanosUntil} only reads, and a refused {@link #tryTake} as well; constant over
     *     the life of a policy
     */
    default boolean findsWaitByTaking() {
        return true;
    }

    /**
     * Returns the largest request that can ever be granted, if the policy knows a smaller maximum than the
     * {@link Limit#capacity limit} does, for good or for the moment while it is {@linkplain #reconfigure changed}.
     *
     * <p>A request that would have to wait, or is part of a chain, is refused if it is larger than either. One that is decided at
     * once is only checked against the limit: {@link #tryTake} should return {@link #AWAIT_SIGNAL} for more than this.
     *
     * @return a positive number of permits; by default {@link Integer#MAX_VALUE}, which means no bound
     */
    default int capacity() {
        return Integer.MAX_VALUE;
    }

    /**
     * Returns how many permits are available of each of the limits that are combined in this one; of those that count requests,
     * how many requests.
     *
     * @param nowNanos the time
     * @return in the order in which they were combined, nested ones in place; nothing of a limit that grants everything; by
     *     default, what is available of this one
     */
    default long[] availableOfEach(long nowNanos) {
        return new long[] {available(nowNanos)};
    }

    /**
     * Returns for how long the policy has been full.
     *
     * @param nowNanos the time
     * @return nanoseconds; meaningless unless {@link #nanosUntilFull} is zero; less than zero counts as zero; by default, zero
     */
    default long nanosSinceFull(long nowNanos) {
        return 0;
    }

    /**
     * Corrects a take when the actual cost of the request is known: charges the missing permits, or gives back the excess. Unlike
     * {@link #giveBack}, it leaves the request itself taken.
     *
     * <p>By default the difference is charged or given back, except where closing the lease has already returned all permits.
     *
     * @param taken how many permits were taken
     * @param actual how many it should have been
     * @param released whether {@link #release} has already been called for the request
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
     * Sets the runnable to call when permits become available other than by time. Called once, before first use.
     *
     * @param drain to be called whenever permits have become available, from any thread, but not from inside a method of this policy:
     *     after {@link #giveBack}, {@link #settle} and {@link #release} the limiter looks by itself, and in {@link Limit#allOf} such
     *     a call may never return. Returns quickly otherwise, and never throws
     */
    default void signalTo(Runnable drain) {}

    /**
     * Returns whether the policy depends on time. If not, {@link #tryTake} may be passed any time, which saves reading a clock.
     *
     * @return by default, true; constant over the life of a policy
     */
    default boolean isTimed() {
        return true;
    }

    /**
     * Changes the limit in place. Permits already granted stay granted and count against the new limit.
     *
     * @param limit the new limit, of the class whose {@link Limit#newPolicy} made this policy
     * @param nowNanos the time
     * @throws IllegalArgumentException if this policy cannot be changed, or not to that limit; nothing has changed then
     */
    default void reconfigure(Limit limit, long nowNanos) {
        throw Kind.mismatch(limit);
    }

    // Permits that return when a lease is closed

    /**
     * Returns whether permits return when their lease is closed, as for a limit on concurrency, rather than with time.
     *
     * @return whether {@link #release} does anything; constant over the life of a policy
     */
    default boolean returnsOnRelease() {
        return false;
    }

    /**
     * Returns permits whose lease was closed, if closing a lease is what returns them; otherwise does nothing. Called at most
     * once for a request that took any permits, and not if the request was given back.
     *
     * @param permits how many are still in use; zero if all were given back when the request was {@linkplain #settle settled}
     * @param nowNanos the time
     */
    default void release(int permits, long nowNanos) {}

    /**
     * Does the same as {@link #release} if the time of the release does not matter because other permits are still in use.
     * Otherwise changes nothing.
     *
     * @param permits how many are still in use; zero if all were given back when the request was {@linkplain #settle settled}
     * @return whether the permits have been returned; by default, false
     */
    default boolean releaseSome(int permits) {
        return false;
    }

    // Permits kept in a remote store

    /**
     * Takes permits for the first waiting request, where requests wait oldest first: it stays first until it is granted or
     * leaves. Called on one thread at a time.
     *
     * <p>The default calls {@link #tryTake}. A policy that asks a remote store may ask for all waiting requests at once, and
     * reserve permits that are not available yet: it then returns the time until they are due.
     *
     * @param first the first waiting request
     * @param waiting how many permits all waiting requests ask for together
     * @param longestNanos the maximum wait of the first request. If it would have to wait longer it is refused, so nothing must
     *     be reserved for it; {@link Long#MAX_VALUE} if there is no maximum
     * @param nowNanos the time
     * @return as {@link #tryTake}
     */
    default long tryTakeFirst(WaitingRequest first, long waiting, long longestNanos, long nowNanos) {
        return tryTake(first.permits(), nowNanos);
    }

    /**
     * Returns for how long at most it may stay open whether a request that was not granted exceeds the limit. A policy that asks a
     * remote store refuses while the answer is on its way, though there may be permits. A request that must not be delayed then
     * waits for the answer: it calls {@link #tryTakeFirst} with a maximum wait of zero, and is refused once this returns zero.
     *
     * <p>By default, zero: that no permits were taken means that the limit does not allow it.
     *
     * @param permits how many the request asks for, at least 1
     * @param nowNanos the time
     * @return nanoseconds, zero if the request exceeds the limit as far as can be known, or a failure keeps it from being granted
     */
    default long nanosUntilDecided(int permits, long nowNanos) {
        return 0;
    }

    /** Undoes reservations for waiting requests: no request waits any more, or none is to be granted for a while. */
    default void cancelReservations() {}

    /**
     * Undoes a take whose permits were not used, a moment after it, because the request also needs other permits that are not
     * available, or has just been cancelled.
     *
     * <p>The default calls {@link #giveBack}. A policy that uses a remote store may hold the permits for a while, because such a
     * request usually asks again.
     *
     * @param permits how many, exactly as many as were taken by that call
     * @param takenAtNanos the time that was passed to {@link #tryTake}
     * @param nowNanos the time
     */
    default void putBack(int permits, long takenAtNanos, long nowNanos) {
        giveBack(permits, takenAtNanos, nowNanos);
    }

    /**
     * Returns the failure, if any, other than the limit itself, that keeps permits from being taken. Requests then do not wait
     * for permits: they are refused, with this as the cause.
     *
     * @param nowNanos the time
     * @return the failure; by default, null
     */
    default @Nullable Throwable failure(long nowNanos) {
        return null;
    }

    /**
     * Returns who decides about requests.
     *
     * @param nowNanos the time of the request, as it was passed to {@link #tryTake}
     * @return who decides; by default, this JVM
     */
    default DecisionSource source(long nowNanos) {
        return DecisionSource.LOCAL;
    }

    /**
     * Releases what is held for future requests: the limiter has been closed, and no more requests are made. Permits in use may
     * still be settled and given back.
     *
     * <p>Called again each time the limiter is closed again. The default does nothing. A policy that uses a remote store gives the
     * permits it holds ahead back to the store.
     */
    default void close() {}
}
