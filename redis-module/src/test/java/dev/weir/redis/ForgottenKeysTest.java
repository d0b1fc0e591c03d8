package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.PartitionedRateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Keys of a fleet that are forgotten, and those that must not be, in virtual time. */
class ForgottenKeysTest {

    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final int PERMITS = 8;
    private static final String KEY = "key";

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final Node node = Nodes.node(new Random(1));
    private final List<Question> asked = new ArrayList<>();

    private PartitionedRateLimiter<String> keyed(Limit limit, WhenUnavailable choice, int nodes, Store store) {
        NodeSettings settings = ModelFleet.settings(choice, nodes);
        return new FleetPartitionsBuilder(
                        key -> limit,
                        (kept, key, source, order, now) ->
                                new FleetPolicy(new FleetTerms(kept, settings), store, node, source, order, now),
                        made -> {})
                .timeSource(time)
                .build();
    }

    private static void fail(Limit limit, Question question, Store.Listener listener) {
        listener.failed(new IllegalStateException("gone"));
    }

    @Test
    @DisplayName("a key that was seen in an outage only is kept while its share is used, and forgotten with the period")
    void shareUsed() {
        PartitionedRateLimiter<String> keyed =
                keyed(Limit.of(PERMITS, PERIOD), WhenUnavailable.LOCAL, 2, ForgottenKeysTest::fail);
        int granted = 0;
        for (int tries = 0; tries < 99; tries++) {
            granted += keyed.tryAcquire(KEY, 1).isAcquired() ? 1 : 0;
            assertThat(keyed.keyCount()).isEqualTo(1);
            time.advanceBy(PERIOD.dividedBy(100));
        }
        assertThat(granted).isEqualTo(PERMITS / 2);

        time.advanceBy(PERIOD);

        assertThat(keyed.keyCount()).isZero();
    }

    private Store thereUnless(boolean[] isGone, Limit limit) {
        ModelStore model = new ModelStore(limit, time);
        return (kept, question, listener) -> {
            if (isGone[0]) {
                fail(kept, question, listener);
            } else {
                asked.add(question);
                model.ask(kept, question, listener);
            }
        };
    }

    @Test
    @DisplayName("a key keeps what was allowed in an outage for a period, and reports it after the outage")
    void allowed() {
        boolean[] isGone = {true};
        Limit limit = Limit.of(PERMITS, PERIOD);
        PartitionedRateLimiter<String> keyed = keyed(limit, WhenUnavailable.ALLOW, 1, thereUnless(isGone, limit));
        assertThat(keyed.tryAcquire(KEY, 5).isAcquired()).isTrue();
        time.advanceBy(PERIOD.minusNanos(1));
        assertThat(keyed.keyCount()).isEqualTo(1);
        isGone[0] = false;
        Lease unused = keyed.tryAcquire(KEY, 1);
        assertThat(asked).extracting(Question::mostCharged).containsExactly(0L, 6L);
        isGone[0] = true;
        assertThat(keyed.tryAcquire("another", 5).isAcquired()).isTrue();
        time.advanceBy(PERIOD);
        assertThat(keyed.keyCount()).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"LOCAL", "ALLOW"})
    @DisplayName("a key reports a request settled to nothing in an outage, where requests count")
    void admittedAndSettledToNothing(WhenUnavailable choice) {
        boolean[] isGone = {true};
        Limit calls = Limit.of(2, PERIOD).countingCalls();
        PartitionedRateLimiter<String> keyed = keyed(calls, choice, 1, thereUnless(isGone, calls));
        for (int call = 0; call < 2; call++) {
            keyed.acquire(KEY, 5).join().settle(0);
        }
        assertThat(keyed.keyCount()).isEqualTo(1);

        isGone[0] = false;
        time.advanceBy(PERIOD.dividedBy(2));

        assertThat(asked.stream().mapToLong(Question::mostCharged).sum()).isEqualTo(2);
    }

    @Test
    @DisplayName(
            "a key whose permits come back when leases are closed is forgotten when its own are, whatever others hold, or an outage hides")
    void closed() {
        boolean[] isGone = {false};
        PartitionedRateLimiter<String> keyed =
                keyed(Limit.concurrency(PERMITS), WhenUnavailable.LOCAL, 1, (limit, question, listener) -> {
                    if (isGone[0]) {
                        fail(limit, question, listener);
                    } else {
                        long left = PERMITS - 1 - question.heldPermits() - question.one();
                        listener.answered(new Answer(1, question.one(), 0, left, 0, 0, Answer.UNKNOWN, List.of()));
                    }
                });
        for (int outage = 0; outage < 2; outage++) {
            Lease lease = keyed.acquire(KEY, 1).join();
            assertThat(lease.source()).isEqualTo(DecisionSource.REMOTE);
            assertThat(keyed.keyCount()).isEqualTo(1);
            isGone[0] = outage == 1;
            lease.close();
            assertThat(keyed.keyCount()).isZero();
        }
    }

    @Test
    @DisplayName("a key whose question the store may still answer is not forgotten: there are never two of one key")
    void questionUnanswered() {
        ManualStore silent = new ManualStore(new ModelStore(Limit.of(PERMITS, PERIOD), time));
        PartitionedRateLimiter<String> keyed = keyed(Limit.of(PERMITS, PERIOD), WhenUnavailable.REFUSE, 1, silent);
        for (int tries = 0; tries < 20; tries++) {
            assertThat(keyed.tryAcquire(KEY, 1).isAcquired()).isFalse();
            time.advanceBy(Duration.ofMillis(51));
            assertThat(keyed.keyCount()).isEqualTo(1);
            assertThat(silent.underWay()).isEqualTo(1);
        }
        silent.fail();
        assertThat(keyed.keyCount()).isZero();
    }

    @Test
    @DisplayName("a late settlement is reported once, though its key was forgotten meanwhile")
    void settledLate() {
        Duration minute = Duration.ofMinutes(1);
        Limit limit = Limit.tokenBucket(100_000, 100_000, minute);
        ModelStore model = new ModelStore(limit, time);
        PartitionedRateLimiter<String> keyed = keyed(limit, WhenUnavailable.LOCAL, 1, (kept, question, listener) -> {
            asked.add(question);
            model.ask(kept, question, listener);
        });
        Lease estimate = keyed.acquire(KEY, 1_000).join();
        time.advanceBy(Duration.ofSeconds(5));
        assertThat(keyed.keyCount()).isZero();

        estimate.settle(3_000);

        assertThat(asked.stream().mapToLong(Question::mostCharged).sum()).isEqualTo(2_000);
    }
}
