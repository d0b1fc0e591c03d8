package dev.weir.limit;

import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;

/**
 * A limit as plain data: immutable, comparable, printable. {@link #newPolicy} creates the policy that enforces it.
 *
 * <p>You may implement it for your own limits: provide {@link #capacity()} and {@link #newPolicy(long)}, preferably in a record.
 *
 * <p>All factories throw {@link IllegalArgumentException} if a count or a duration is not positive, or if a duration, or the
 * time in which a bucket fills, is longer than 2^61 - 1 nanoseconds (73 years), and {@link NullPointerException} if an argument
 * is null.
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
     * Returns the same as {@link #of(int, Duration)}, under the name of the algorithm.
     *
     * @param permits the most that any such interval admits
     * @param period the length of the interval
     * @return the limit
     */
    static SlidingWindowLog slidingWindowLog(int permits, Duration period) {
        return new SlidingWindowLog(permits, period);
    }

    /**
     * Returns a token bucket that starts full and is refilled continuously. A request passes if the bucket holds enough tokens.
     *
     * @param capacity the maximum number of tokens in the bucket: the largest burst
     * @param refillTokens how many tokens are added in each {@code refillPeriod}
     * @param refillPeriod the time in which {@code refillTokens} are added
     * @return the limit
     * @see TokenBucket
     */
    static TokenBucket tokenBucket(int capacity, int refillTokens, Duration refillPeriod) {
        return new TokenBucket(capacity, refillTokens, refillPeriod);
    }

    /**
     * Returns a leaky bucket, which spaces permits evenly, without bursts.
     *
     * @param permits how many permits pass in each {@code period}
     * @param period the time in which {@code permits} permits pass
     * @return the limit
     * @see LeakyBucket
     */
    static LeakyBucket leakyBucket(int permits, Duration period) {
        return new LeakyBucket(permits, period);
    }

    /**
     * Returns a fixed window: the count of permits restarts at zero in every window of time.
     *
     * @param permits the most that one window admits
     * @param window the length of a window; a window begins when its first permit is taken
     * @return the limit
     * @see FixedWindow
     */
    static FixedWindow fixedWindow(int permits, Duration window) {
        return new FixedWindow(permits, window);
    }

    /**
     * Returns a sliding window that is divided into segments. It never admits more than the exact limit does, and its memory
     * depends on the number of segments instead of the number of permits.
     *
     * @param permits the most that any interval of length {@code window} admits
     * @param window the length of the interval
     * @param segments the number of segments in a window
     * @return the limit
     * @see SlidingWindow
     */
    static SlidingWindow slidingWindow(int permits, Duration window, int segments) {
        return new SlidingWindow(permits, window, segments);
    }

    /**
     * Returns a limit that estimates a sliding window from the counts of two consecutive windows.
     *
     * @param permits the largest estimate that is admitted
     * @param window the length of a window
     * @return the limit
     * @see SlidingWindowCounter
     */
    static SlidingWindowCounter slidingWindowCounter(int permits, Duration window) {
        return new SlidingWindowCounter(permits, window);
    }

    /**
     * Returns a limit on concurrency. Permits return when their leases are closed, so every lease must be closed.
     *
     * @param permits the maximum number of permits in use at any instant
     * @return the limit
     * @see Concurrency
     */
    static Concurrency concurrency(int permits) {
        return new Concurrency(permits);
    }

    /**
     * Returns several limits combined into one: a request takes permits from all of them or from none, atomically across threads.
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
     * Returns the largest number of permits that a single request can ever be granted.
     *
     * @return a positive number of permits
     */
    int capacity();

    /**
     * Returns this limit counted in requests instead of permits: every request costs one, whatever its number of permits.
     *
     * @return the limit
     * @throws IllegalArgumentException if the capacity of this limit is not positive
     * @see CountingCalls
     */
    default Limit countingCalls() {
        return new CountingCalls(this);
    }

    /**
     * Creates a policy that enforces this limit, with no permits taken yet.
     *
     * @param nowNanos the current time on the clock whose times will be passed to the policy
     * @return a new policy
     */
    PermitPolicy newPolicy(long nowNanos);
}
