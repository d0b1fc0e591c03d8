package dev.weir.proof.soak;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class FlatnessTest {

    private static final long MEGABYTE = 1 << 20;

    @Test
    @DisplayName("warming up and swaying are flat")
    void warmingUpIsFlat() {
        assertThatCode(() -> judge(i ->
                                new Sample((i < 4 ? i : 20 + i % 3) * MEGABYTE, i < 4 ? 0 : 40 + i % 7, 20 + i % 2))
                        .assertFlat())
                .doesNotThrowAnyException();
    }

    @Test
    @DisplayName("a slow leak is not, of heap, timers or threads")
    void leaksAreNotFlat() {
        assertNotFlat("heap", i -> new Sample((20 + i / 4) * MEGABYTE, 40, 20));
        assertNotFlat("timers", i -> new Sample(20 * MEGABYTE, 40 + 4 * i, 20));
        assertNotFlat("threads", i -> new Sample(20 * MEGABYTE, 40, 20 + i));
    }

    @Test
    @DisplayName("a flood is not, though it drains")
    void floodsAreNotFlat() {
        assertNotFlat("timers", i -> new Sample(20 * MEGABYTE, i == 15 ? 1_000 : 40, 20));
    }

    private static void assertNotFlat(String what, IntFunction<Sample> sample) {
        assertThatThrownBy(() -> judge(sample).assertFlat())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(what);
    }

    private static Flatness judge(IntFunction<Sample> sample) {
        List<Sample> samples = IntStream.range(0, 40).mapToObj(sample).toList();
        return new Flatness(samples);
    }
}
