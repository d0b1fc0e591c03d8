package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import io.lettuce.core.RedisException;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A charge while nodes come back from an outage, which waits for an answer and then cannot be sent. */
class ChargedInRecoveryTest {

    private static final Limit LIMIT = Limit.of(10, Duration.ofHours(1));

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final ManualStore answering = new ManualStore(new ModelStore(LIMIT, time));
    private boolean isConnected;

    private void ask(Limit limit, Question question, Store.Listener listener) {
        if (isConnected) {
            answering.ask(limit, question, listener);
        } else {
            listener.failed(new RedisException("Currently not connected. Commands are rejected."));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 500, 990, 1_000, 1_010, 1_020, 1_030, 1_040, 1_050, 1_100})
    @DisplayName("it is taken from the share once, whether the recovery has ended by then or not")
    void takenOnce(int millisAfterReturn) {
        RateLimiter limiter = ModelFleet.builder(LIMIT, this::ask, ModelFleet.settings(WhenUnavailable.LOCAL, 2))
                .timeSource(time)
                .build();
        assertThat(limiter.tryAcquire().source()).isEqualTo(DecisionSource.FALLBACK);
        isConnected = true;
        time.advanceBy(Duration.ofSeconds(1));
        answering.answerAll();
        assertThat(limiter.availablePermits()).isEqualTo(4);
        answering.answerAll();

        time.advanceBy(Duration.ofMillis(millisAfterReturn));
        long asking = limiter.availablePermits();
        limiter.charge(2);
        isConnected = false;
        time.advanceBy(Duration.ofMillis(45));
        answering.answerAll();

        assertThat(limiter.tryAcquire(0).source()).isEqualTo(DecisionSource.FALLBACK);
        assertThat(limiter.availablePermits()).as("before: %d", asking).isEqualTo(2);
    }
}
