package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Two keys in a chain that share the limiter of all further keys, which gets permits back while they wait for it. */
class GivenBackToKeysThatShareTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final SteppedTime time = new SteppedTime(Long.MAX_VALUE - 7);
    private final List<String> heard = new ArrayList<>();
    private final PartitionedRateLimiter<Integer> keys = PartitionedRateLimiter.<Integer>builder(
                    key -> Limit.of(1, HOUR.multipliedBy(2)))
            .timeSource(time)
            .maximumKeys(1)
            .overflowTo(Limit.of(2, HOUR))
            .observer(new RateLimiterObserver() {
                @Override
                public void onAcquired(int permits, long waitedNanos) {
                    heard.add("acquired");
                }

                @Override
                public void onCancelled(int permits, long waitedNanos) {
                    heard.add("cancelled");
                }
            })
            .build();
    private final Lease held = oneOfTwo();
    private final RateLimiter both = RateLimiter.chain(keys.forKey(1), keys.forKey(2));

    /** Takes a permit that all further keys share, after another key has taken the room for one of its own. */
    private Lease oneOfTwo() {
        keys.tryAcquire(9, 1);
        return keys.tryAcquire(8, 1);
    }

    @Test
    @DisplayName("they go within a second")
    void goWithinASecond() {
        CompletableFuture<Lease> waiting = both.acquire();
        time.advanceBy(SECOND.multipliedBy(5).plusMillis(1));
        held.giveBack();
        time.advanceBy(SECOND);
        assertThat(waiting).isCompletedWithValueMatching(Lease::isAcquired);
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName("until then nobody hears of attempts, and their permits are there for others")
    void nobodyHears() {
        CompletableFuture<Lease> waiting = both.acquire();
        heard.clear();
        time.advanceBy(SECOND.multipliedBy(5));
        assertThat(heard).isEmpty();
        assertThat(keys.tryAcquire(7, 1).isAcquired()).isTrue();
        assertThat(waiting).isNotDone();
    }

    @Test
    @DisplayName("a bound is too short by the time until there are enough, not by that until it is looked again")
    void boundedByTheWholeWait() {
        List<Lease> answers = new ArrayList<>();
        both.acquire(1, HOUR.minusNanos(1), answers::add);
        assertThat(answers)
                .singleElement()
                .satisfies(refused -> assertThat(refused.reason()).contains(RefusalReason.MAX_WAIT));
        both.acquire(1, HOUR, answers::add);
        time.advanceBy(HOUR.minusNanos(1));
        assertThat(answers).hasSize(1);
        time.advanceBy(1);
        assertThat(answers).hasSize(2);
        assertThat(answers.get(1).isAcquired()).isTrue();
    }

    @Test
    @DisplayName("a slot that is out for a moment when it is looked again is no reason to refuse them")
    void slotOutForAMoment() {
        PartitionedRateLimiter<Integer> several = PartitionedRateLimiter.<Integer>builder(
                        key -> Limit.of(1, HOUR.multipliedBy(2)))
                .timeSource(time)
                .maximumKeys(1)
                .overflowTo(Limit.allOf(Limit.of(2, HOUR), Limit.concurrency(2)))
                .build();
        several.tryAcquire(9, 1);
        several.tryAcquire(8, 1).close();
        CompletableFuture<Lease> waiting =
                RateLimiter.chain(several.forKey(1), several.forKey(2)).acquire();
        time.advanceBy(SECOND.dividedBy(2));
        Lease forAMoment = several.tryAcquire(7, 1);
        time.advanceBy(SECOND);
        forAMoment.close();
        time.advanceBy(HOUR.minus(SECOND.multipliedBy(2)));
        assertThat(waiting).isNotDone();
        time.advanceBy(SECOND.multipliedBy(3));
        assertThat(waiting).isCompletedWithValueMatching(Lease::isAcquired);
    }
}
