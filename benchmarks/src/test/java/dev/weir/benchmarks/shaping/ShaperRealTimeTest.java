package dev.weir.benchmarks.shaping;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each shaper lets elements pass, and stops when it is told to. */
class ShaperRealTimeTest {

    private static final int ELEMENTS = 30;

    @ParameterizedTest
    @EnumSource(ShaperContender.class)
    @DisplayName("passes elements until told to stop")
    void passes(ShaperContender contender) {
        for (Rate.Shape shape : Rate.Shape.values()) {
            if (contender.knows(shape)) {
                AtomicInteger passed = new AtomicInteger();
                contender.shaper(new Rate(10_000, shape)).run(() -> passed.incrementAndGet() < ELEMENTS);
                assertThat(passed).as(shape.name()).hasValue(ELEMENTS);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LOOKING", "SLEEPING"})
    @DisplayName("a floor lets no window hold too many, as its elements really went")
    void floorsKeepTheLimit(ShaperContender floor) {
        for (Rate.Shape shape : Rate.Shape.values()) {
            assertThat(ShapingRun.measure(floor, new Rate(1_000, shape), 0, 100))
                    .as(shape.name())
                    .hasEntrySatisfying(
                            "worstWindow", worst -> assertThat(worst).isLessThanOrEqualTo(1))
                    .hasEntrySatisfying(
                            "reached", reached -> assertThat(reached).isLessThanOrEqualTo(1));
        }
    }
}
