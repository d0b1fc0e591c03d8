package dev.weir.limit;

import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;

/**
 * A limit as plain data: immutable, comparable, printable. {@link #newPolicy} makes the arithmetic that keeps it.
 *
 * <p>Open for limits of your own: implement {@link #capacity()} and {@link #newPolicy(long)}, preferably in a record.
 *
 * <p>All factories throw {@link IllegalArgumentException} for a count or a duration that is not positive, or for a duration
 * longer than 2^61 - 1 nanoseconds (73 years), and {@link NullPointerException} for a missing one.
 */
public interface Limit {

    /**
     * Returns the exact limit, the default everywhere: at most {@code permits} in any interval of length {@code period},
     * wherever the interval begins.
     *
     * @param permits the most that any such interval admits
     * @param period the length of the interval
     * @return the limit
     * @see SlidingWindowLog
     */
    static SlidingWindowLog of(int permits, Duration period) {
        return new SlidingWindowLog(permits, period);
    }

    /**
     * Returns the same as {@link #of(int, Duration)}, by the name of the algorithm.
     *
     * @param permits the most that any such interval admits
     * @param period the length of the interval
     * @return the limit
     */
    static SlidingWindowLog slidingWindowLog(int permits, Duration period) {
        return new SlidingWindowLog(permits, period);
    }

    /**
     * Returns a bucket that starts full, is refilled continuously, and admits whatever finds tokens in it.
     *
     * @param capacity the most tokens that the bucket holds: the largest burst
     * @param refillTokens how many tokens flow in during each {@code refillPeriod}
     * @param refillPeriod the time in which they do
     * @return the limit
     * @see TokenBucket
     */
    static TokenBucket tokenBucket(int capacity, int refillTokens, Duration refillPeriod) {
        return new TokenBucket(capacity, refillTokens, refillPeriod);
    }

    /**
     * Returns a bucket that leaks evenly: permits pass at equal distances, without bursts.
     *
     * @param permits how many permits pass in each {@code period}
     * @param period the time in which they do
     * @return the limit
     * @see LeakyBucket
     */
    static LeakyBucket leakyBucket(int permits, Duration period) {
        return new LeakyBucket(permits, period);
    }

    /**
     * Returns a limit that counts afresh in every window of time.
     *
     * @param permits the most that one window admits
     * @param window the length of a window, which begins at its first use
     * @return the limit
     * @see FixedWindow
     */
    static FixedWindow fixedWindow(int permits, Duration window) {
        return new FixedWindow(permits, window);
    }

    /**
     * Returns the window in segments: never more than the exact limit admits, remembered by segments rather than by permits.
     *
     * @param permits the most that any interval of length {@code window} admits
     * @param window the length of the interval
     * @param segments into how many parts the window is divided
     * @return the limit
     * @see SlidingWindow
     */
    static SlidingWindow slidingWindow(int permits, Duration window, int segments) {
        return new SlidingWindow(permits, window, segments);
    }

    /**
     * Returns a limit that estimates a sliding window from the counts of two windows that follow each other.
     *
     * @param permits the most that the estimate may be
     * @param window the length of a window
     * @return the limit
     * @see SlidingWindowCounter
     */
    static SlidingWindowCounter slidingWindowCounter(int permits, Duration window) {
        return new SlidingWindowCounter(permits, window);
    }

    /**
     * Returns a limit of what is under way at the same time: leases must be closed.
     *
     * @param permits the most permits that are out at any instant
     * @return the limit
     * @see Concurrency
     */
    static Concurrency concurrency(int permits) {
        return new Concurrency(permits);
    }

    /**
     * Returns several limits as one: a request takes from all of them or from none, also among threads.
     *
     * @param limits the limits, at least one
     * @return the limit
     * @see AllOf
     */
    static AllOf allOf(Limit... limits) {
        Objects.requireNonNull(limits, "limits");
        return new AllOf(Arrays.asList(limits));
    }

    /**
     * Returns the limit that admits everything at once.
     *
     * @return the limit
     */
    static Unlimited unlimited() {
        return new Unlimited();
    }

    /**
     * Returns the largest request that can ever be granted.
     *
     * @return a positive number of permits
     */
    int capacity();

    /**
     * Returns this limit counted in requests: every request costs one here, whatever its permits.
     *
     * @return the limit
     * @see CountingCalls
     */
    default Limit countingCalls() {
        return new CountingCalls(this);
    }

    /**
     * Makes the arithmetic that keeps this limit, with nothing taken yet.
     *
     * @param nowNanos the time on the clock that will be passed to the policy
     * @return a new policy
     */
    PermitPolicy newPolicy(long nowNanos);
}
