package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A limit of somebody else's making whose policy tells of a failure, though no factory made it. */
class OwnPolicyFailureTest {

    private final SteppedTime time = new SteppedTime(-7);
    private final IOException failure = new IOException("on purpose");
    private final List<RefusalReason> heard = new ArrayList<>();

    private RateLimiter.Builder limiter(OwnPolicyTest.Place place) {
        return RateLimiter.builder(place.of(new Failing())).timeSource(time);
    }

    private RateLimiterObserver hearing() {
        return new RateLimiterObserver() {
            @Override
            public void onRefused(int permits, RefusalReason reason, DecisionSource source) {
                heard.add(reason);
            }
        };
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("is the reason and the cause of a refusal, whoever observes and whether the request may wait or not")
    void toldWithItsCause(OwnPolicyTest.Place place) {
        RateLimiter alone = limiter(place).build();
        RateLimiter observed = limiter(place).observer(hearing()).build();
        for (RateLimiter limiter : List.of(alone, observed)) {
            List<Lease> refused = new ArrayList<>(List.of(limiter.tryAcquire()));
            limiter.acquire(1, Duration.ZERO, refused::add);
            limiter.acquire(1, refused::add);
            assertThat(refused).hasSize(3).allSatisfy(lease -> {
                assertThat(lease.reason()).contains(RefusalReason.BACKEND_UNAVAILABLE);
                assertThat(lease.cause()).isEqualTo(Optional.of(failure));
                assertThat(lease.source()).isEqualTo(DecisionSource.LOCAL);
            });
            assertThat(limiter.statistics().refused()).isEqualTo(3);
        }
        assertThat(heard).hasSize(3).containsOnly(RefusalReason.BACKEND_UNAVAILABLE);
    }

    /** Never has a permit, as something failed. */
    private final class Failing extends StatelessPolicy implements Limit {

        @Override
        public PermitPolicy newPolicy(long nowNanos) {
            return this;
        }

        @Override
        public int capacity() {
            return 9;
        }

        @Override
        public long tryTake(int permits, long nowNanos) {
            return AWAIT_SIGNAL;
        }

        @Override
        public long available(long nowNanos) {
            return 0;
        }

        @Override
        public @Nullable Throwable failure(long nowNanos) {
            return failure;
        }
    }
}
