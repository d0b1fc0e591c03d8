package dev.weir.benchmarks.decision;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each contender does what its row says. */
class DecisionTest {

    private static final int SOME = 300;

    @ParameterizedTest
    @EnumSource(Contender.class)
    @DisplayName("grants whatever is asked for when the limit does not bite")
    void grants(Contender contender) {
        Decision decision = contender.decision(Outcome.GRANTED);
        for (int i = 0; i < SOME; i++) {
            assertThat(decision.tryTake()).as("decision %d", i).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(Contender.class)
    @DisplayName("refuses whatever is asked for when the permits are gone")
    void refuses(Contender contender) {
        Decision decision = contender.decision(Outcome.REFUSED);
        for (int i = 0; i < SOME; i++) {
            assertThat(decision.tryTake()).as("decision %d", i).isFalse();
        }
    }
}
