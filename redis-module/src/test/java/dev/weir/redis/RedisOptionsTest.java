package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RedisOptionsTest {

    private static final Duration LONGEST = Duration.ofNanos((1L << 61) - 1);
    private static final RedisOptions USUAL = RedisOptions.defaults();

    @Test
    @DisplayName("unless set, options are as the page of fleets says")
    void defaults() {
        assertThat(USUAL)
                .hasToString("RedisOptions[keyPrefix=weir, deadline=PT0.05S, whenUnavailable=LOCAL, expectedNodes=1,"
                        + " leaseAhead=0, leaseTime=PT10S, maxInFlight=2048, keysPerCommand=32]");
    }

    private static void refused(String name, Duration duration, UnaryOperator<RedisOptions> set) {
        assertThatThrownBy(() -> set.apply(USUAL))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(name)
                .hasMessageContaining(duration.toString());
    }

    @Test
    @DisplayName("times that no clock here can count are refused where they are set, by name; those that can are not")
    void longTimes() {
        for (Duration tooLong : new Duration[] {LONGEST.plusNanos(1), Duration.ofSeconds(Long.MAX_VALUE)}) {
            refused("deadline", tooLong, options -> options.deadline(tooLong));
            refused("leaseTime", tooLong, options -> options.leaseTime(tooLong));
        }
        RedisOptions longest = USUAL.deadline(LONGEST).leaseTime(LONGEST).expectedNodes(2);
        try (RedisRateLimiters fleet = Nodes.on((script, keys, arguments, listener) -> {}, longest)) {
            assertThat(fleet.limiter("long", Limit.concurrency(1)).acquire()).isNotDone();
        }
    }

    @Test
    @DisplayName("times that are none are refused, too")
    void noTimes() {
        for (Duration none : new Duration[] {Duration.ZERO, Duration.ofNanos(-1), Duration.ofSeconds(Long.MIN_VALUE)}) {
            refused("deadline", none, options -> options.deadline(none));
            refused("leaseTime", none, options -> options.leaseTime(none));
        }
    }

    @Test
    @DisplayName("a command has one key at least")
    void noKeys() {
        for (int none : new int[] {0, -1, Integer.MIN_VALUE}) {
            assertThatThrownBy(() -> USUAL.keysPerCommand(none))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("keysPerCommand must be at least 1, but is " + none);
        }
        assertThat(USUAL.keysPerCommand(1))
                .hasToString(USUAL.toString().replace("keysPerCommand=32", "keysPerCommand=1"));
    }
}
