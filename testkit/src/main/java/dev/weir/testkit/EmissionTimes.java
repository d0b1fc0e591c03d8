package dev.weir.testkit;

import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The times of emissions, and assertions about how many of them fall into one interval.
 *
 * <pre>{@code
 * EmissionTimes emitted = EmissionTimes.record(TimeSource.system());
 * urls.transform(RateLimit.of(5, ofSeconds(1))).doOnNext(url -> emitted.add()).blockLast();
 * emitted.neverExceeds(5, ofSeconds(1));
 * }</pre>
 *
 * <p>Times are nanoseconds of any origin, compared by subtraction, so they may wrap; they must lie within 2^63 - 1
 * nanoseconds of one another. They need not be added in order. All methods may be called from any thread;
 * assertions cover what has been added when they are called.
 */
public final class EmissionTimes {

    private static final int SHOWN = 12;

    private final @Nullable TimeSource clock;
    private final ConcurrentLinkedQueue<Long> times = new ConcurrentLinkedQueue<>();

    private EmissionTimes(@Nullable TimeSource clock) {
        this.clock = clock;
    }

    /**
     * Returns the given times.
     *
     * @param nanos the times in nanoseconds, in any order
     * @return the times, to which more can be {@linkplain #addAt added}
     */
    public static EmissionTimes of(long... nanos) {
        EmissionTimes given = new EmissionTimes(null);
        for (long time : nanos) {
            given.addAt(time, 1);
        }
        return given;
    }

    /**
     * Returns an empty record, to which {@link #add()} adds.
     *
     * @param clock the clock that is read at each addition
     * @return the record
     */
    public static EmissionTimes record(TimeSource clock) {
        return new EmissionTimes(Objects.requireNonNull(clock, "clock"));
    }

    /**
     * Adds one emission at the current time.
     *
     * @throws IllegalStateException if there is no clock because the times were given
     */
    public void add() {
        add(1);
    }

    /**
     * Adds emissions at the current time.
     *
     * @param count how many; zero or more
     * @throws IllegalStateException if there is no clock because the times were given
     * @throws IllegalArgumentException if {@code count} is negative
     */
    public void add(int count) {
        if (clock == null) {
            throw new IllegalStateException("No clock: these times were given, not recorded");
        }
        addAt(clock.nanoTime(), count);
    }

    /**
     * Adds emissions at a given time.
     *
     * @param nanos the time in nanoseconds
     * @param count how many; zero or more
     * @throws IllegalArgumentException if {@code count} is negative
     */
    public void addAt(long nanos, int count) {
        if (count < 0) {
            throw new IllegalArgumentException("count must not be negative, but is " + count);
        }
        for (int i = 0; i < count; i++) {
            times.add(nanos);
        }
    }

    /**
     * Returns how many emissions there are.
     *
     * @return the number
     */
    public int count() {
        return times.size();
    }

    /**
     * Returns the times in order, relative to the earliest.
     *
     * @return for each emission the time since the earliest
     */
    public List<Duration> sinceFirst() {
        return LongStream.of(sorted()).mapToObj(Duration::ofNanos).collect(Collectors.toUnmodifiableList());
    }

    /**
     * Returns the largest number of emissions in any interval of the given length, including its beginning but not its end.
     *
     * @param window the length of the interval
     * @return the number; zero if there are no emissions
     * @throws IllegalArgumentException if {@code window} is zero or negative
     * @throws ArithmeticException if {@code window} is longer than 2^63 - 1 nanoseconds
     */
    public int mostIn(Duration window) {
        long length = positive(window, "window");
        long[] sorted = sorted();
        int most = 0;
        int first = 0;
        for (int last = 0; last < sorted.length; last++) {
            while (sorted[last] - sorted[first] >= length) {
                first++;
            }
            most = Math.max(most, last - first + 1);
        }
        return most;
    }

    /**
     * Asserts that no interval of length {@code period}, wherever it begins, contains more than {@code most} emissions: of any
     * {@code most + 1} in a row, the last came at least a period after the first.
     *
     * @param most the largest number of emissions that may fall into one interval
     * @param period the length of the interval, including its beginning but not its end
     * @return these times
     * @throws AssertionError if an interval contains more; the message shows the first one that does
     * @throws IllegalArgumentException if {@code most} is less than 1, or {@code period} zero or negative
     * @throws ArithmeticException if {@code period} is longer than 2^63 - 1 nanoseconds
     */
    public EmissionTimes neverExceeds(int most, Duration period) {
        if (most < 1) {
            throw new IllegalArgumentException("most must be at least 1, but is " + most);
        }
        long length = positive(period, "period");
        long[] sorted = sorted();
        for (int i = 0; i + most < sorted.length; i++) {
            if (sorted[i + most] - sorted[i] < length) {
                throw new AssertionError(exceeded(sorted, i, most, period));
            }
        }
        return this;
    }

    private static String exceeded(long[] sorted, int first, int most, Duration period) {
        int beyond = first + most;
        while (beyond < sorted.length && sorted[beyond] - sorted[first] < period.toNanos()) {
            beyond++;
        }
        return "More than " + most + " within " + period + ": emissions " + (first + 1) + " to " + beyond + " of "
                + sorted.length + ", " + (beyond - first) + " in all, lie within "
                + Duration.ofNanos(sorted[beyond - 1] - sorted[first]) + ", at "
                + shown(Arrays.copyOfRange(sorted, first, beyond)) + " since the first emission";
    }

    private static String shown(long[] window) {
        String shown = LongStream.of(window)
                .limit(SHOWN)
                .mapToObj(time -> Duration.ofNanos(time).toString())
                .collect(Collectors.joining(", "));
        return window.length > SHOWN ? shown + ", ..., " + Duration.ofNanos(window[window.length - 1]) : shown;
    }

    /** Returns the times relative to the earliest, in order even if the clock has wrapped. */
    private long[] sorted() {
        long[] sorted = times.stream().mapToLong(Long::longValue).toArray();
        if (sorted.length > 0) {
            long reference = sorted[0];
            long earliest =
                    LongStream.of(sorted).map(time -> time - reference).min().orElse(0);
            Arrays.setAll(sorted, i -> sorted[i] - reference - earliest);
            Arrays.sort(sorted);
        }
        return sorted;
    }

    private static long positive(Duration duration, String name) {
        Objects.requireNonNull(duration, name);
        if (duration.isZero() || duration.isNegative()) {
            throw new IllegalArgumentException(name + " must be positive, but is " + duration);
        }
        return duration.toNanos();
    }

    @Override
    public String toString() {
        return count() + " emissions at " + shown(sorted());
    }
}
