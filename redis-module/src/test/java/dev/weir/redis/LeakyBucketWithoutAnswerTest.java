package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.LeakyBucket;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A leaky bucket, whose largest request is not what it has when it is full, while the store does not answer; in virtual time. */
class LeakyBucketWithoutAnswerTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final LeakyBucket SPACED = Limit.leakyBucket(60, Duration.ofMinutes(1));
    private static final LeakyBucket WITH_SLACK = Limit.leakyBucket(1, SECOND).withSlack(59);

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final List<Question> asked = new ArrayList<>();
    private boolean isGone = true;

    private RateLimiter limiter(Limit limit, WhenUnavailable choice) {
        ModelStore model = new ModelStore(limit, time);
        Store store = (kept, question, listener) -> {
            if (isGone) {
                listener.failed(new IllegalStateException("gone"));
            } else {
                asked.add(question);
                model.ask(kept, question, listener);
            }
        };
        return ModelFleet.builder(limit, store, choice).timeSource(time).build();
    }

    private long chargedAfter(Duration outage, RateLimiter limiter) {
        time.advanceBy(outage);
        isGone = false;
        time.advanceBy(SECOND); // by then the node has probed the store, if it has anything to report
        Lease unused = limiter.tryAcquire(0);
        assertThat(asked).isNotEmpty();
        return asked.stream().mapToLong(Question::mostCharged).sum();
    }

    private int takeAlone(RateLimiter limiter, int tries) {
        int taken = 0;
        for (int i = 0; i < tries; i++) {
            Lease lease = limiter.tryAcquire();
            assertThat(lease.source()).isEqualTo(DecisionSource.FALLBACK);
            taken += lease.isAcquired() ? 1 : 0;
        }
        return taken;
    }

    @ParameterizedTest
    @EnumSource(WhenUnavailable.class)
    @DisplayName("a grant or charge in an outage is not reported once it has leaked away")
    void longAgo(WhenUnavailable choice) {
        Duration hour = Duration.ofHours(1);
        LeakyBucket hourly = Limit.leakyBucket(10, hour);
        for (Limit limit : List.of(hourly, hourly.withSlack(5), Limit.allOf(Limit.of(100, hour), hourly))) {
            isGone = true;
            asked.clear();
            RateLimiter limiter = limiter(limit, choice);
            Lease alone = limiter.tryAcquire(2);
            limiter.charge(2);
            assertThat(chargedAfter(hour.multipliedBy(2), limiter))
                    .as("%s after %s", limit, alone)
                    .isZero();
        }
    }

    @Test
    @DisplayName("after an outage the next request waits no longer than in one JVM, however many were granted alone")
    void goesOnAtItsPace() {
        RateLimiter limiter = limiter(SPACED, WhenUnavailable.LOCAL);
        int alone = 0;
        for (int second = 0; second < 30; second++) {
            alone += takeAlone(limiter, 2);
            time.advanceBy(SECOND);
        }
        assertThat(alone).isEqualTo(30);
        assertThat(chargedAfter(Duration.ZERO, limiter)).isLessThanOrEqualTo(1);
        CompletableFuture<Lease> next = limiter.acquire();
        time.advanceBy(SECOND);
        assertThat(next).isCompletedWithValueMatching(lease -> lease.source() == DecisionSource.REMOTE);
    }

    @ParameterizedTest
    @EnumSource(names = {"LOCAL", "ALLOW"})
    @DisplayName("the slack that was used up alone is used up at the store, too, as far as it has not come back since")
    void slackUsedUp(WhenUnavailable choice) {
        RateLimiter limiter = limiter(WITH_SLACK, choice);
        assertThat(takeAlone(limiter, 60)).isEqualTo(60);
        assertThat(chargedAfter(SECOND.multipliedBy(29), limiter)).isBetween(30L, 60L);
        int granted = 0;
        while (limiter.acquire().isDone()) {
            granted++;
        }
        assertThat(granted).isLessThanOrEqualTo(30);
    }

    @Test
    @DisplayName("of many that were allowed alone, as many are reported as can be taken without waiting in between")
    void allowedAlone() {
        RateLimiter limiter = limiter(SPACED.withSlack(30), WhenUnavailable.ALLOW);
        assertThat(takeAlone(limiter, 100)).isEqualTo(100);
        assertThat(chargedAfter(Duration.ZERO, limiter)).isEqualTo(90);
    }

    @ParameterizedTest
    @EnumSource(names = {"LOCAL", "ALLOW"})
    @DisplayName("no more is available than when the bucket is full, in an outage and before the first answer")
    void available(WhenUnavailable choice) {
        RateLimiter alone = limiter(SPACED, choice);
        assertThat(alone.availablePermits()).as("decided alone").isEqualTo(1);
        ManualStore silent = new ManualStore(new ModelStore(SPACED, time));
        RateLimiter unanswered =
                ModelFleet.builder(SPACED, silent, choice).timeSource(time).build();
        assertThat(unanswered.availablePermits()).as("not answered yet").isEqualTo(1);
    }
}
