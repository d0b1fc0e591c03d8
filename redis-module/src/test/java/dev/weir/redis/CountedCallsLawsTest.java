package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Limits that count requests, whatever their permits, for requests of many sizes at once. */
class CountedCallsLawsTest {

    private static final int CALLS = 20;
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Limit LIMIT =
            Limit.allOf(Limit.of(10_000, HOUR), Limit.of(CALLS, HOUR).countingCalls());

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final List<Lease> granted = new ArrayList<>();

    private RateLimiter on(ManualStore store, int leaseAhead) {
        NodeSettings settings = new TestSettings()
                .leaseAhead(leaseAhead)
                .whenUnavailable(WhenUnavailable.REFUSE)
                .build();
        return ModelFleet.builder(LIMIT, store, settings).timeSource(time).build();
    }

    private void note(Lease lease) {
        if (lease.isAcquired()) {
            granted.add(lease);
        }
    }

    private void play(RateLimiter limiter, ManualStore store, Random random) {
        for (int step = 0; step < 300; step++) {
            int permits = 1 + random.nextInt(3);
            switch (random.nextInt(6)) {
                case 0, 1 -> limiter.acquire(permits, this::note);
                case 2 -> note(limiter.tryAcquire(permits));
                case 3 -> {
                    CompletableFuture<Lease> asked = limiter.acquire(permits);
                    if (!asked.cancel(false)) {
                        note(asked.join());
                    }
                }
                default -> {
                    store.answerAll();
                    time.advanceBy(Duration.ofMillis(random.nextInt(3)));
                }
            }
        }
    }

    private void answerAll(ManualStore store) {
        while (store.underWay() > 0) {
            store.answerAll();
            time.advanceBy(Duration.ofMillis(1));
        }
    }

    @Test
    @DisplayName(
            "requests of many sizes, asked for together, tried and cancelled: as many are granted as the limit has, and no more")
    void asManyAsThereAre() {
        for (int leaseAhead : new int[] {0, 5}) {
            for (long seed = 1; seed <= 50; seed++) {
                granted.clear();
                ManualStore store = new ManualStore(new ModelStore(LIMIT, time));
                RateLimiter limiter = on(store, leaseAhead);
                play(limiter, store, new Random(seed));
                for (int more = 0; more < CALLS; more++) {
                    limiter.acquire(1, this::note);
                }
                answerAll(store);
                assertThat(granted).as("ahead %d, seed %d", leaseAhead, seed).hasSize(CALLS);
                limiter.close();
            }
        }
    }

    @Test
    @DisplayName("a slot granted for many requests is given back for as many")
    void backAsMany() {
        Question question = Questions.undo(new Slot(7, 5_000, false, 3, false));
        LimitWords counted = LimitWords.of(LIMIT, HOUR);
        LimitWords plain = LimitWords.of(Limit.of(5, HOUR), HOUR);
        assertThat(counted.arguments(question, "node")).contains("0 node 7:5x3 ");
        assertThat(plain.arguments(question, "node")).contains("0 node 7:5 ");
    }

    @Test
    @DisplayName("a slot booked for many requests is one argument with their number, where requests count")
    void bookedAsOne() {
        Question question =
                Questions.seeing(List.of(new Slot(10_000, 5_000, false, 1, false), Questions.booked(5, 9_000)));
        LimitWords counted = LimitWords.of(LIMIT, HOUR);
        LimitWords plain = LimitWords.of(Limit.of(5, HOUR), HOUR);
        assertThat(counted.arguments(question, "node")).contains("0 node  5:9,10000:5x10000");
        assertThat(plain.arguments(question, "node")).contains("0 node  5:9,10000:5");
    }
}
