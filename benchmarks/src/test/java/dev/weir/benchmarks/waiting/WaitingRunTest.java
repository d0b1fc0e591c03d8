package dev.weir.benchmarks.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.benchmarks.Kind;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each room is filled and emptied; the run itself fails if not all wait, or not all can leave. */
class WaitingRunTest {

    @ParameterizedTest
    @EnumSource(RoomContender.class)
    @DisplayName("lets all wait; ours has one timer for all and keeps nobody who left")
    void waits(RoomContender contender) {
        Map<String, Double> figures = WaitingRun.measure(contender, 50, 1);
        assertThat(figures).containsKeys("enterNanos", "leaveNanos", "bytes");
        assertThat(figures.get("waiting")).isGreaterThanOrEqualTo(50);
        if (contender.kind() == Kind.OURS) {
            assertThat(figures).containsEntry("timers", 1.0).containsEntry("leftWaiting", 0.0);
        }
    }
}
