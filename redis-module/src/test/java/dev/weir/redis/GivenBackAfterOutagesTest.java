package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A lease that a node has granted on its own, and that comes back when that outage, and others since, are over. */
class GivenBackAfterOutagesTest {

    private static final Limit LIMIT = Limit.of(10, Duration.ofHours(1));

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final ModelStore model = new ModelStore(LIMIT, time);
    private final List<Question> asked = new ArrayList<>();
    private boolean isGone;
    private final RateLimiter limiter = ModelFleet.builder(LIMIT, this::ask, WhenUnavailable.LOCAL)
            .timeSource(time)
            .build();

    private void ask(Limit limit, Question question, Store.Listener listener) {
        if (isGone) {
            listener.failed(new IllegalStateException("reset"));
        } else {
            asked.add(question);
            model.ask(limit, question, listener);
        }
    }

    private Lease grantedInAnOutage() {
        isGone = true;
        Lease lease = limiter.acquire().join();
        assertThat(lease.source()).isEqualTo(DecisionSource.FALLBACK);
        isGone = false;
        lookAfterAWhile();
        return lease;
    }

    private void lookAfterAWhile() {
        time.advanceBy(Duration.ofSeconds(2));
        Lease unused = limiter.tryAcquire(0);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    @DisplayName("is not given back to the store, which has never granted it, and has been told of it")
    void givenBack(int outages) {
        Lease first = grantedInAnOutage();
        for (int outage = 1; outage < outages; outage++) {
            Lease unused = grantedInAnOutage();
        }
        assertThat(limiter.availablePermits()).isEqualTo(10 - outages);
        asked.clear();
        first.giveBack();
        lookAfterAWhile();
        assertThat(asked).isNotEmpty().allMatch(question -> question.undone().isEmpty());
        assertThat(limiter.availablePermits()).isEqualTo(10 - outages);
    }
}
