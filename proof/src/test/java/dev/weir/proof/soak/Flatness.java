package dev.weir.proof.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.ToLongFunction;

/**
 * Judges samples that were taken at even distances. The first tenth warms up; the second tenth, which is the second minute of
 * ten, is what the rest is held against:
 *
 * <ul>
 *   <li>a leak, however slow: the median of the last third may not be above the highest of the second tenth by more than a
 *       tenth and a little;
 *   <li>a flood that drains: no later sample may be above four times that highest and a little.
 * </ul>
 */
final class Flatness {

    private final List<Sample> samples;
    private final int tenth;

    Flatness(List<Sample> samples) {
        if (samples.size() < 20) {
            throw new IllegalArgumentException("Too few samples to judge: " + samples.size());
        }
        this.samples = samples;
        this.tenth = samples.size() / 10;
    }

    void assertFlat() {
        assertFlat("bytes of live heap", Sample::heap, 2 << 20);
        assertFlat("pending timers", Sample::timers, 2 * Load.SESSIONS);
        assertFlat("threads", Sample::threads, 16);
    }

    /**
     * The little is what the JVM itself comes and goes by; and of timers one for each limiter of two threads, as more of them wait
     * when the compiler is done.
     */
    private void assertFlat(String what, ToLongFunction<Sample> figure, long little) {
        long[] figures = samples.stream().mapToLong(figure).toArray();
        long highest = samples.subList(tenth, 2 * tenth).stream()
                .mapToLong(figure)
                .max()
                .orElseThrow();
        long[] last = samples.subList(2 * samples.size() / 3, samples.size()).stream()
                .mapToLong(figure)
                .sorted()
                .toArray();
        assertThat(last[last.length / 2])
                .as("median of the last third, %s: %s", what, figures)
                .isLessThanOrEqualTo(highest + highest / 10 + little);
        assertThat(samples.subList(2 * tenth, samples.size()).stream().mapToLong(figure))
                .as("after the second tenth, %s", what)
                .allMatch(later -> later <= 4 * highest + little);
    }
}
