package dev.weir.samples.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WrkTest {

    private static final Pattern MOST = Pattern.compile("99%\\s+([0-9.]+)(us|ms|s)");

    @Test
    @DisplayName("percentiles are read in any unit, and a report without any is shown")
    void percentiles() {
        assertThat(Wrk.millis(MOST, "  Latency Distribution\n     50%  112.00us\n     99%  812.00us\n"))
                .isEqualTo(0.812);
        assertThat(Wrk.millis(MOST, "     99%    1.50ms\n")).isEqualTo(1.5);
        assertThat(Wrk.millis(MOST, "     99%    1.02s\n")).isEqualTo(1_020.0);
        assertThatIllegalStateException()
                .isThrownBy(() -> Wrk.millis(MOST, "unable to connect"))
                .withMessageContaining("unable to connect");
    }
}
