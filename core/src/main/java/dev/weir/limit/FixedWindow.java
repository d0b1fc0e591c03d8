package dev.weir.limit;

import java.time.Duration;

/**
 * Fixed window: the count restarts at zero in every window of time. Cheap and common, but admits up to twice the limit around the
 * boundary between two windows.
 *
 * <p>A window begins with the first permit that is taken while no window is running, and lasts for {@code window}. With
 * {@link #aligned}, windows begin at multiples of that length on the time source instead. On
 * {@link dev.weir.time.TimeSource#system()} these are no times of day: its origin is arbitrary, and another in each JVM. In a fleet
 * they are counted by the clock of the server since 1970, so windows of a day begin at midnight UTC.
 *
 * <p>Bound, which is tight: an interval shorter than the window, yet longer than an instant, admits at most {@code 2 * permits}
 * if aligned, and one less if not, because then the first permit begins the window (unless that one was given back). In general,
 * an interval of length t admits at most {@code permits * (ceil(t / window) + 1)}. A change to aligned windows that begin elsewhere, as
 * they are of another length, or were not aligned, adds a boundary: an interval around it may see the permits of one window more.
 *
 * <p>Permits that are charged although they are not available count in the windows that follow, {@code permits} in each. So do
 * those that were granted under a larger limit: when 1,000 have been granted and the limit is changed to 100, nothing passes for
 * ten windows.
 *
 * @param permits the maximum number of permits in one window; at least 1
 * @param window the length of a window; positive, at most 2^61 - 1 nanoseconds
 * @param onMultiples whether windows begin at the multiples of their length on the time source
 */
public record FixedWindow(int permits, Duration window, boolean onMultiples) implements Limit {

    /**
     * Checks the arguments.
     *
     * @param permits the maximum number of permits in one window
     * @param window the length of a window
     * @param onMultiples whether windows begin at the multiples of their length
     * @throws IllegalArgumentException if {@code permits} or {@code window} is not positive, or the window is too long
     */
    public FixedWindow {
        Arguments.positive(permits, "permits");
        Arguments.positive(window, "window");
    }

    /**
     * Creates a limit whose windows begin with the first permit taken.
     *
     * @param permits the maximum number of permits in one window
     * @param window the length of a window
     * @throws IllegalArgumentException if {@code permits} or {@code window} is not positive, or the window is too long
     */
    public FixedWindow(int permits, Duration window) {
        this(permits, window, false);
    }

    /**
     * Returns the same limit, but with windows that begin at the multiples of their length on the time source, which are no times of
     * day unless the limit is that of a fleet.
     *
     * @return a new limit
     */
    public FixedWindow aligned() {
        return new FixedWindow(permits, window, true);
    }

    @Override
    public int capacity() {
        return permits;
    }

    @Override
    public PermitPolicy newPolicy(long nowNanos) {
        return new WindowPolicy(WindowRules.of(this), 0, nowNanos);
    }
}
