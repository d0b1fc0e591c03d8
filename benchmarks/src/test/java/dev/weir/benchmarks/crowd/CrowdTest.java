package dev.weir.benchmarks.crowd;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each contender knows its keys and serves its streams; the runs themselves fail if not. */
class CrowdTest {

    @ParameterizedTest
    @EnumSource(KeyContender.class)
    @DisplayName("grants the first permit of every key, and knows them all")
    void keys(KeyContender contender) {
        assertThat(KeysRun.measure(contender, 100).get("firstNanos")).isPositive();
    }

    @ParameterizedTest
    @EnumSource(StreamsContender.class)
    @DisplayName("lets elements of several streams pass")
    void streams(StreamsContender contender) {
        assertThat(StreamsRun.measure(contender, 3, 10, 60).get("permits")).isPositive();
    }
}
