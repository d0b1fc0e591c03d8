package dev.weir.redis;

import dev.weir.limit.FixedWindow;
import dev.weir.limit.LeakyBucket;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.limit.SlidingWindow;
import dev.weir.limit.SlidingWindowCounter;
import dev.weir.limit.SlidingWindowLog;
import dev.weir.limit.TokenBucket;
import java.util.List;
import java.util.stream.Stream;

/**
 * How fast a limit brings permits at most, whatever was taken before: what is known of a wait without an answer of the store. Each part of
 * the limit counts for itself, by its own permits and its own period.
 */
final class Supply {

    private static final long LONGEST = PermitPolicy.AWAIT_SIGNAL - 1;

    /** The parts that permits come back to with time. */
    private final List<Part> parts;

    private final boolean isSameOneByOne;

    private Supply(List<Part> parts, boolean isSameOneByOne) {
        this.parts = parts;
        this.isSameOneByOne = isSameOneByOne;
    }

    static Supply of(List<LimitPart> parts) {
        return new Supply(
                parts.stream().flatMap(Supply::suppliesOf).toList(),
                parts.stream().noneMatch(part -> part.limit() instanceof SlidingWindowCounter));
    }

    private static Stream<Part> suppliesOf(LimitPart part) {
        return part.calls() ? parts(part.limit()).map(Part::ofCalls) : parts(part.limit());
    }

    /**
     * Returns whether permits taken one by one, each as soon as possible, take as long as at once: of a window that weighs the one before,
     * the last of them may come sooner.
     */
    boolean isSameOneByOne() {
        return isSameOneByOne;
    }

    /** Returns the least wait of a request behind others, whose {@code ahead} permits are taken one by one. */
    long nanosAtLeast(long requestsAhead, long ahead, int permits) {
        long longest = 0;
        for (Part part : parts) {
            longest = Math.max(longest, part.nanosFor(part.count(requestsAhead, ahead, permits) - part.from));
        }
        return longest;
    }

    /**
     * Returns the least time between the moment at which permit number {@code missing} (the first is 1), not available yet, comes and
     * the grant of the request. Which part lacks it is not known, so the fastest one counts.
     */
    long nanosAfter(long missing, long requestsAhead, long ahead, int permits) {
        long shortest = LONGEST;
        for (Part part : parts) {
            shortest = Math.min(shortest, part.nanosFor(part.count(requestsAhead, ahead, permits) - missing));
        }
        return shortest;
    }

    /** What a part counts of requests, whose permits are taken one by one, and of a request behind them. */
    private enum Unit {
        PERMITS,

        /** The request counts as one: it is spaced like one, whatever its size. */
        SPACED,

        /** Requests, whatever their size. */
        CALLS
    }

    /**
     * A limit on its own. Each permit comes at least a period after the one {@code perPeriod} before it, if that is not there yet.
     *
     * @param from from which permit on that holds in any case; those up to it may all be there
     * @param perPeriod how many permits a period brings
     * @param isEven whether it brings them evenly, rather than all at its end
     */
    private record Part(Unit unit, long from, long perPeriod, long periodNanos, boolean isEven) {

        long count(long requestsAhead, long ahead, int permits) {
            return switch (unit) {
                case PERMITS -> ahead + permits;
                case SPACED -> ahead + 1;
                case CALLS -> requestsAhead + 1;
            };
        }

        /** Returns how much later a permit comes that is so many behind. */
        long nanosFor(long behind) {
            if (behind <= 0) {
                return 0;
            }
            long periods = behind / perPeriod;
            long rest = isEven ? behind % perPeriod : 0;
            // The rest of a period, multiplied without overflow.
            long part = periodNanos / perPeriod * rest + periodNanos % perPeriod * rest / perPeriod;
            return periods > (LONGEST - part) / periodNanos ? LONGEST : periods * periodNanos + part;
        }

        Part ofCalls() {
            return new Part(Unit.CALLS, from, perPeriod, periodNanos, isEven);
        }
    }

    private static Stream<Part> parts(Limit limit) {
        if (limit instanceof SlidingWindowLog window) {
            return exact(window.permits(), window.period().toNanos());
        }
        if (limit instanceof SlidingWindow window) {
            return exact(window.permits(), window.window().toNanos());
        }
        if (limit instanceof SlidingWindowCounter window) {
            long nanos = window.window().toNanos();
            return Stream.of(new Part(Unit.PERMITS, window.permits() + 1L, window.permits(), nanos, true));
        }
        if (limit instanceof FixedWindow window) {
            return inSteps(window.permits(), window.permits(), window.window().toNanos());
        }
        if (limit instanceof LeakyBucket bucket) {
            long nanos = bucket.period().toNanos();
            return Stream.of(new Part(Unit.SPACED, bucket.slack() + 1L, bucket.permits(), nanos, true));
        }
        return limit instanceof TokenBucket bucket ? parts(bucket) : Stream.empty();
    }

    private static Stream<Part> parts(TokenBucket bucket) {
        long capacity = bucket.capacity();
        long nanos = bucket.refillPeriod().toNanos();
        return bucket.inSteps()
                ? inSteps(capacity, Math.min(capacity, bucket.refillTokens()), nanos)
                : Stream.of(new Part(Unit.PERMITS, capacity, bucket.refillTokens(), nanos, true));
    }

    private static Stream<Part> exact(long permits, long periodNanos) {
        return Stream.of(new Part(Unit.PERMITS, 1, permits, periodNanos, false));
    }

    /** The present window may be about to end, so it is from the first permit of the next one on that more take whole windows. */
    private static Stream<Part> inSteps(long capacity, long perWindow, long windowNanos) {
        return Stream.of(new Part(Unit.PERMITS, capacity + 1, perWindow, windowNanos, false));
    }
}
