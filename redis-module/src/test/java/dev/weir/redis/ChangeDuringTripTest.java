package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What changes while a question is on its way holds for what it brings, in virtual time. */
class ChangeDuringTripTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private final VirtualTimeSource time = new VirtualTimeSource(-1);

    private record Change(Limit slow, Limit fast) {}

    private static List<Change> changes() {
        return List.of(
                new Change(Limit.of(1, HOUR), Limit.of(100, HOUR)),
                new Change(Limit.tokenBucket(1, 1, HOUR), Limit.tokenBucket(100, 100, Duration.ofSeconds(1))),
                new Change(Limit.fixedWindow(1, HOUR), Limit.fixedWindow(100, HOUR)));
    }

    private RateLimiter limiter(Limit limit, Store store) {
        return ModelFleet.builder(limit, store, ModelFleet.SETTINGS)
                .timeSource(time)
                .build();
    }

    /** Lets so many rounds of questions have their answers, and be told. */
    private void answer(ManualStore store, int rounds) {
        for (int i = 0; i < rounds; i++) {
            store.answerAll();
            time.advanceBy(Duration.ZERO);
        }
    }

    /** One who waits, and whose booking is on its way, while another has the only permit. */
    private CompletableFuture<Lease> booking(RateLimiter limiter, ManualStore store) {
        CompletableFuture<Lease> waiting = limiter.acquire();
        answer(store, 1);
        assertThat(store.latest().wanted().longestWaitNanos()).as("books").isPositive();
        assertThat(store.underWay()).isEqualTo(1);
        return waiting;
    }

    private Lease taken(RateLimiter limiter, ManualStore store) {
        CompletableFuture<Lease> first = limiter.acquire();
        answer(store, 1);
        assertThat(first).isCompletedWithValueMatching(Lease::isAcquired);
        return first.join();
    }

    @ParameterizedTest
    @MethodSource("changes")
    @DisplayName("a request being booked by a slow limit goes by the faster one it is changed to")
    void toAFasterLimit(Change change) {
        ManualStore store = new ManualStore(new ModelStore(change.slow, time));
        RateLimiter limiter = limiter(change.slow, store);
        assertThat(taken(limiter, store).isAcquired()).isTrue();
        CompletableFuture<Lease> waiting = booking(limiter, store);
        limiter.reconfigure(change.fast);
        for (int i = 0; i < 50; i++) {
            answer(store, 1);
            time.advanceBy(Duration.ofMillis(1));
        }
        assertThat(waiting).isCompletedWithValueMatching(Lease::isAcquired);
    }

    @Test
    @DisplayName("a grant of a large limit is not used under the small one it is changed to meanwhile")
    void toASmallerLimit() {
        Limit large = Limit.of(100, HOUR);
        ManualStore store = new ManualStore(new ModelStore(large, time));
        RateLimiter limiter = limiter(large, store);
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            waiting.add(limiter.acquire());
        }
        answer(store, 1);
        assertThat(store.latest().wanted().most())
                .as("asked for all the others")
                .isEqualTo(49);
        limiter.reconfigure(Limit.of(10, HOUR));
        answer(store, 10);
        assertThat(waiting.stream().filter(CompletableFuture::isDone)).hasSize(10);
    }

    @ParameterizedTest
    @MethodSource("changes")
    @DisplayName("a request being booked for later goes at once when the permit is given back meanwhile")
    void givenBack(Change change) {
        ManualStore store = new ManualStore(new ModelStore(change.slow, time));
        RateLimiter limiter = limiter(change.slow, store);
        Lease first = taken(limiter, store);
        CompletableFuture<Lease> waiting = booking(limiter, store);
        first.giveBack();
        answer(store, 4);
        assertThat(waiting).isCompletedWithValueMatching(Lease::isAcquired);
    }
}
