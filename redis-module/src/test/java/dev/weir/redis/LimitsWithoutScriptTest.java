package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Limits that no script can keep are refused; those that need none ask no server. */
class LimitsWithoutScriptTest {

    private static final Limit USUAL = Limit.of(1, Duration.ofHours(1));
    private static final Limit OWN = new OwnLimit();

    private final RedisRateLimiters fleet = Nodes.on(
            (script, keys, arguments, listener) -> {}, RedisOptions.defaults().deadline(Duration.ofHours(1)));

    @Test
    @DisplayName("a limit that is given is refused there")
    void given() {
        refuses(() -> fleet.limiter("own", OWN));
        refuses(() -> fleet.builder("own", OWN));
        refuses(() -> fleet.partitioned("own", OWN));
        refuses(() -> fleet.limiter("own", Limit.allOf(USUAL, OWN.countingCalls())));
    }

    @Test
    @DisplayName("a limit that a function returns for a key is refused to whoever uses that key, each time")
    void ofAKey() {
        PartitionedRateLimiter<String> keyed = fleet.partitionedBuilder("own", key -> key.equals("own") ? OWN : USUAL)
                .build();
        refuses(() -> keyed.forKey("own"));
        refuses(() -> keyed.tryAcquire("own", 1));
        refuses(() -> keyed.acquire("own", 1));
        assertThat(keyed.acquire("usual", 1)).isNotDone();
    }

    @Test
    @DisplayName("a limit that limits nothing grants without the server, however it is composed")
    void limitsNothing() {
        for (Limit nothing : List.of(
                Limit.unlimited(),
                Limit.unlimited().countingCalls(),
                Limit.allOf(Limit.unlimited(), Limit.unlimited().countingCalls()))) {
            try (RateLimiter limiter = fleet.limiter("nothing", nothing)) {
                assertThat(limiter.tryAcquire().isAcquired()).as("%s", nothing).isTrue();
                assertThat(limiter.acquire(3)).as("%s", nothing).isCompleted();
                limiter.reconfigure(nothing);
            }
        }
    }

    private static void refuses(ThrowingCallable call) {
        assertThatIllegalArgumentException().isThrownBy(call).withMessageContaining("OwnLimit");
    }

    private record OwnLimit() implements Limit {

        @Override
        public int capacity() {
            return 1;
        }

        @Override
        public PermitPolicy newPolicy(long nowNanos) {
            return Limit.unlimited().newPolicy(nowNanos);
        }
    }
}
