package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class EmissionTimesTest {

    private static final Duration TEN = Duration.ofNanos(10);

    @Test
    void acceptsWhatKeepsExactlyToTheLimit() {
        EmissionTimes times = EmissionTimes.of(0, 0, 3, 10, 10, 13, 20);
        assertThat(times.neverExceeds(3, TEN)).isSameAs(times);
        assertThat(times.mostIn(TEN)).isEqualTo(3);
    }

    @Test
    void showsTheWindowThatHoldsTooMany() {
        EmissionTimes times = EmissionTimes.of(100, 110, 111, 115, 119, 121);
        assertThatThrownBy(() -> times.neverExceeds(3, TEN))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("More than 3 within PT0.00000001S")
                .hasMessageContaining("emissions 2 to 5 of 6, 4 in all")
                .hasMessageContaining("within PT0.000000009S")
                .hasMessageContaining("PT0.00000001S, PT0.000000011S, PT0.000000015S, PT0.000000019S since the first");
    }

    @Test
    void findsAWindowOneNanosecondTooShort() {
        assertThatThrownBy(() -> EmissionTimes.of(0, 9).neverExceeds(1, TEN)).isInstanceOf(AssertionError.class);
        assertThatCode(() -> EmissionTimes.of(0, 10).neverExceeds(1, TEN)).doesNotThrowAnyException();
    }

    @Test
    void aWindowWithoutEndShowsItsBeginning() {
        EmissionTimes times = EmissionTimes.of(new long[1_000]);
        assertThatThrownBy(() -> times.neverExceeds(5, TEN))
                .hasMessageContaining("1000 in all")
                .hasMessageContaining("...");
        assertThat(times).asString().hasSizeLessThan(200);
    }

    @Test
    void noneAreWithinEveryLimit() {
        EmissionTimes none = EmissionTimes.of();
        assertThat(none.neverExceeds(1, TEN).mostIn(TEN)).isZero();
        assertThat(none.sinceFirst()).isEmpty();
    }

    @Test
    void orderAndOriginDoNotMatter() {
        EmissionTimes wrapped =
                EmissionTimes.of(Long.MIN_VALUE + 4, Long.MAX_VALUE - 5, Long.MAX_VALUE, Long.MIN_VALUE);
        assertThat(wrapped.sinceFirst()).containsExactly(Duration.ZERO, Duration.ofNanos(5), Duration.ofNanos(6), TEN);
        wrapped.neverExceeds(3, TEN);
        assertThatThrownBy(() -> wrapped.neverExceeds(2, TEN)).isInstanceOf(AssertionError.class);
    }

    @Test
    void agreesWithCountingEveryWindow() {
        for (long seed = 1; seed <= 200; seed++) {
            Random random = new Random(seed);
            long[] nanos = random.longs(1 + random.nextInt(30), 0, 60).toArray();
            int most = Arrays.stream(nanos)
                    .mapToInt(from -> (int) Arrays.stream(nanos)
                            .filter(time -> time >= from && time < from + 10)
                            .count())
                    .max()
                    .orElse(0);
            EmissionTimes times = EmissionTimes.of(nanos);
            assertThat(times.mostIn(TEN)).as("seed %s", seed).isEqualTo(most);
            times.neverExceeds(most, TEN);
            if (most > 1) {
                assertThatThrownBy(() -> times.neverExceeds(most - 1, TEN))
                        .as("seed %s", seed)
                        .isInstanceOf(AssertionError.class);
            }
        }
    }

    @Test
    void recordsByAClock() {
        VirtualTimeSource clock = new VirtualTimeSource(-3);
        EmissionTimes recorded = EmissionTimes.record(clock);
        recorded.add();
        clock.advanceBy(TEN);
        recorded.add(2);
        recorded.addAt(1_000, 0);
        assertThat(recorded.count()).isEqualTo(3);
        assertThat(recorded.sinceFirst()).containsExactly(Duration.ZERO, TEN, TEN);
    }

    @Test
    void misuseIsNamed() {
        assertThatThrownBy(() -> EmissionTimes.of(1).add()).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> EmissionTimes.record(null)).hasMessage("clock");
        assertThatThrownBy(() -> EmissionTimes.of().mostIn(null)).hasMessage("window");
        assertThatThrownBy(() -> EmissionTimes.of().addAt(1, -2)).hasMessageContaining("-2");
        assertThatThrownBy(() -> EmissionTimes.of().neverExceeds(0, TEN)).hasMessageContaining("most");
        assertThatThrownBy(() -> EmissionTimes.of().neverExceeds(1, Duration.ZERO))
                .hasMessageContaining("period");
        assertThatThrownBy(() -> EmissionTimes.of().mostIn(TEN.negated())).hasMessageContaining("window");
    }
}
