package dev.weir.redis;

import dev.weir.limit.Concurrency;
import dev.weir.limit.FixedWindow;
import dev.weir.limit.LeakyBucket;
import dev.weir.limit.Limit;
import dev.weir.limit.SlidingWindow;
import dev.weir.limit.SlidingWindowCounter;
import dev.weir.limit.SlidingWindowLog;
import dev.weir.limit.TokenBucket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * One limit as the scripts know it: a kind, and the numbers that parameterize it. The periods of windows are rounded up to whole
 * microseconds, and the cost of a bucket's permit to what a script can count ({@link BucketPace}), so a limit is never exceeded by
 * rounding.
 *
 * @param part that limit, as part of the one that is kept
 * @param kind the name of the kind, and of its script
 * @param numbers the parameters of the kind
 */
record Member(LimitPart part, Kind kind, List<Long> numbers) {

    Member(LimitPart part, Kind kind, long... numbers) {
        this(part, kind, Arrays.stream(numbers).boxed().toList());
    }

    /** The kinds of limits that there are scripts for. */
    enum Kind {
        LOG(true, "log"),
        BUCKET(true, "bucket", "bucket-undo"),
        WINDOW(false, "window"),
        LEASES(false, "leases");

        /** Its name in scripts and keys, and that of its first file. */
        final String script;

        /** The files that its part of a script is in, in order. */
        @SuppressWarnings("ImmutableEnumChecker") // what List.of returns is immutable
        final List<String> files;

        /** Whether there is also a fast path for the usual question. */
        final boolean quick;

        Kind(boolean quick, String... files) {
            this.script = files[0];
            this.files = List.of(files);
            this.quick = quick;
        }
    }

    /** The most times an exact window remembers; with more permits, those within the same segment are remembered as one. */
    static final int MOST_TIMES = 1024;

    /** Placeholder for the number of permits held by the node, which each question fills in. */
    private static final int HELD_BY_NOBODY = 0;

    private static final int AT_FIRST_USE = 0;
    private static final int AT_CREATION = 1;
    private static final int AT_MULTIPLES = 2;

    /** Returns whether it counts leases, and has to know the nodes that hold them. */
    boolean isLeases() {
        return kind == Kind.LEASES;
    }

    /**
     * Returns the members of a limit: itself, or the limits that it is composed of.
     *
     * @throws IllegalArgumentException if there is no script for it, or its numbers are too large for one
     */
    static List<Member> of(Limit limit, Duration leaseTime) {
        long leaseMicros = micros(leaseTime);
        return LimitPart.of(limit).stream().map(part -> of(part, leaseMicros)).toList();
    }

    private static Member of(LimitPart part, long leaseMicros) {
        Limit limit = part.limit();
        if (limit instanceof SlidingWindowLog window) {
            long period = micros(window.period());
            long segment = window.permits() <= MOST_TIMES ? 0 : up(period, MOST_TIMES);
            return new Member(part, Kind.LOG, window.permits(), period, segment);
        }
        if (limit instanceof SlidingWindow window) {
            long period = micros(window.window());
            return new Member(part, Kind.LOG, window.permits(), period, up(period, window.segments()));
        }
        if (limit instanceof TokenBucket bucket) {
            return bucket.inSteps() ? steps(part, bucket) : bucket(part, bucket);
        }
        if (limit instanceof LeakyBucket bucket) {
            BucketPace pace = BucketPace.of(
                    bucket, bucket.period(), bucket.permits(), Math.max(bucket.permits(), bucket.slack() + 1L));
            return pace.member(part, bucket.permits(), bucket.slack() + 1L, true, 0);
        }
        if (limit instanceof FixedWindow window) {
            int begin = window.onMultiples() ? AT_MULTIPLES : AT_FIRST_USE;
            return window(part, window.permits(), window.permits(), window.window(), begin, false, 0);
        }
        if (limit instanceof SlidingWindowCounter window) {
            return window(part, window.permits(), window.permits(), window.window(), AT_CREATION, true, 0);
        }
        if (limit instanceof Concurrency concurrency) {
            return new Member(part, Kind.LEASES, concurrency.permits(), leaseMicros, HELD_BY_NOBODY);
        }
        throw new IllegalArgumentException("limit must be one that there is a script for, but is " + limit);
    }

    private static Member steps(LimitPart part, TokenBucket bucket) {
        int perPeriod = Math.min(bucket.refillTokens(), bucket.capacity());
        return window(part, bucket.capacity(), perPeriod, bucket.refillPeriod(), AT_CREATION, false, missing(bucket));
    }

    /** A window that brings so many permits in each period; weighted if it also counts some of the one before. */
    private static Member window(
            LimitPart part, int capacity, int perPeriod, Duration period, int begin, boolean weighted, long missing) {
        return new Member(part, Kind.WINDOW, capacity, perPeriod, micros(period), begin, weighted ? 1 : 0, missing);
    }

    private static Member bucket(LimitPart part, TokenBucket bucket) {
        BucketPace pace = BucketPace.of(bucket, bucket.refillPeriod(), bucket.refillTokens(), bucket.capacity());
        return pace.member(part, bucket.capacity(), bucket.capacity(), false, missing(bucket));
    }

    private static long missing(TokenBucket bucket) {
        return bucket.capacity() - (long) bucket.initialTokens();
    }

    private static long micros(Duration duration) {
        return up(duration.toNanos(), 1000);
    }

    private static long up(long dividend, long divisor) {
        return (dividend - 1) / divisor + 1;
    }
}
