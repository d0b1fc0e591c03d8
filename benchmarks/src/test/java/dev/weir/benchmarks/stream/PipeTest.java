package dev.weir.benchmarks.stream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each stream delivers. */
class PipeTest {

    @ParameterizedTest
    @EnumSource(StreamContender.class)
    @DisplayName("all elements arrive, in each of several streams")
    void delivers(StreamContender contender) {
        Pipe pipe = contender.pipe();
        assertThat(pipe.pass(500)).isEqualTo(500);
        assertThat(pipe.pass(100)).isEqualTo(100);
    }
}
