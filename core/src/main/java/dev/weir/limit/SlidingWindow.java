package dev.weir.limit;

import java.time.Duration;

/**
 * Sliding window in segments: at most {@code permits} in any interval of length {@code window}, with grants kept per segment.
 *
 * <p>Permits that are taken within one segment, which lasts {@code window / segments} from the first of them, are remembered
 * together and count until the last of them is {@code window} old; its time is rounded up, by less than a billionth of a segment.
 * So the limit is never exceeded, whatever the number of segments; the price is that a permit may have to wait up to
 * {@code window / segments} longer than with the {@linkplain SlidingWindowLog exact window}. This does not happen while requests
 * are always waiting in the queue: permits that return together are taken together, and the long-run rate is the limit itself.
 * Callers that are refused and retry get a little less, as the permits they take do not return together.
 *
 * <p>Bound, which is tight: an interval of length t admits at most {@code permits * (floor(t / window) + 1)}; in particular,
 * {@code permits} in any half-open interval of length {@code window}. Needs 16 bytes for each segment in which permits were taken
 * within the window, plus one more segment. A charge that exceeds the available permits adds an entry of its own; there may be as
 * many such entries as permits.
 *
 * <p>Permits given back return at once, but the other permits taken in the same segment still count from the time of the latest
 * take, even if that take is undone, as {@link dev.weir.RateLimiter#chain} does when another member refuses. Permits that are
 * charged although they are not available take the next places that the limit allows.
 *
 * <p>A limiter that is reconfigured to another limit of this kind applies the new limit to earlier grants, too. If the window
 * becomes longer, nothing passes until all forgotten grants are older than the new window; a lease no longer gives back permits
 * whose grants were forgotten. Permits that were charged and are not yet repaid are charged to the new limit.
 *
 * @param permits the most that any interval of length {@code window} admits; at least 1
 * @param window the length of the interval; positive, at most 2^61 - 1 nanoseconds
 * @param segments the number of segments in a window; at least 1
 */
public record SlidingWindow(int permits, Duration window, int segments) implements Limit {

    /**
     * Checks the arguments.
     *
     * @param permits the most that any interval of length {@code window} admits
     * @param window the length of the interval
     * @param segments the number of segments in a window
     * @throws IllegalArgumentException if {@code permits}, {@code window} or {@code segments} is not positive, or the window is
     *     too long
     */
    public SlidingWindow {
        Arguments.positive(permits, "permits");
        Arguments.positive(window, "window");
        Arguments.positive(segments, "segments");
    }

    @Override
    public int capacity() {
        return permits;
    }

    @Override
    public PermitPolicy newPolicy(long nowNanos) {
        return new SlidingWindowPolicy(this, nowNanos);
    }
}
