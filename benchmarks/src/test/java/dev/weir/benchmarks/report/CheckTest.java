package dev.weir.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CheckTest {

    @Test
    @DisplayName("the bound itself is met, what is beyond is not")
    void bounds() {
        assertThat(Check.atMost("x", 1.1, 1.1).isMet()).isTrue();
        assertThat(Check.atMost("x", 1.11, 1.1).isMet()).isFalse();
        assertThat(Check.atLeast("x", 0.999, 0.999).isMet()).isTrue();
        assertThat(Check.atLeast("x", 0.998, 0.999).isMet()).isFalse();
        assertThat(Check.atMost("x", Double.NaN, 1).isMet()).isFalse();
    }

    @Test
    @DisplayName("a floor's result stands beside a check, and says whether it missed, too")
    void floors() {
        Check reached = Check.atLeast("reached", 0.98, 0.999);
        assertThat(reached.besideFloor()).isEqualTo("reached 0.98 (at least 0.999)");
        assertThat(reached.isMissedByFloor()).isFalse();

        Check besideLate = reached.beside("a thread", Check.atLeast("reached", 0.998, 0.999));
        assertThat(besideLate).hasToString("reached 0.98 (at least 0.999)");
        assertThat(besideLate.besideFloor()).isEqualTo("reached 0.98 (at least 0.999; a thread: 0.998)");
        assertThat(besideLate.isMissedByFloor()).isTrue();
        assertThat(besideLate.isMet()).isFalse();

        assertThat(reached.beside("a thread", Check.atLeast("reached", 0.999, 0.999))
                        .isMissedByFloor())
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0|0",
                "1|1",
                "0.999|0.999",
                "1.0734|1.0734",
                "2.5|2.5",
                "36.41|36.4",
                "1234.6|1,235",
                "1000000|1,000,000"
            })
    @DisplayName("numbers are as exact as they need be")
    void numbers(double number, String text) {
        assertThat(Check.number(number)).isEqualTo(text);
    }
}
