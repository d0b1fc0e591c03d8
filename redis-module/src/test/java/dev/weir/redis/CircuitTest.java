package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.VirtualTimeSource;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who may ask a store that fails, in virtual time. */
class CircuitTest {

    private static final long SHORTEST = Duration.ofMillis(50).toNanos();

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final Circuit circuit = new Circuit();

    private boolean mayAsk() {
        return circuit.mayAsk(time.nanoTime());
    }

    private long fail() {
        return circuit.pauseAfter(new IOException("reset"), time);
    }

    @Test
    @DisplayName("many calls that fail together keep nobody waiting longer than three; each look that fails does")
    void failedTogether() {
        for (int failures = 0; failures < 20; failures++) {
            assertThat(fail()).isLessThanOrEqualTo(SHORTEST);
        }
        assertThat(mayAsk()).isFalse();
        long longest = SHORTEST;
        for (int looks = 0; looks < 10; looks++) {
            time.advanceBy(Duration.ofNanos(longest));
            assertThat(mayAsk()).as("look %d", looks).isTrue();
            assertThat(mayAsk()).as("one at a time").isFalse();
            longest = Math.min(Circuit.LONGEST_NANOS, 2 * longest);
            assertThat(fail()).isBetween(longest / 2, longest);
        }
        assertThat(longest).isEqualTo(Circuit.LONGEST_NANOS);
    }

    @Test
    @DisplayName("what cannot be asked tells nothing of the store, however often")
    void whatCannotBeAsked() {
        for (int failures = 0; failures < 20; failures++) {
            assertThat(circuit.pauseAfter(new IllegalArgumentException("too long"), time))
                    .isLessThanOrEqualTo(SHORTEST);
            assertThat(mayAsk()).isTrue();
        }
    }
}
