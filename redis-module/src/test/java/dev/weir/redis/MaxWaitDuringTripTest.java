package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.PermitRequest;
import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Requests that come while the store is being asked wait only for its answers if their bounds are too short. */
class MaxWaitDuringTripTest extends ScriptsOnAServer {

    private static final Duration TRIP = Duration.ofMillis(10);
    private static final Duration PERIOD = Duration.ofMillis(400);
    private static final NodeSettings SETTINGS = new TestSettings()
            .whenUnavailable(WhenUnavailable.REFUSE)
            .aheadNanos(250_000_000)
            .build();
    private static final List<Limit> LIMITS = List.of(
            Limit.of(1, PERIOD),
            Limit.tokenBucket(1, 1, PERIOD),
            Limit.tokenBucket(3, 3, PERIOD.multipliedBy(3)),
            Limit.leakyBucket(1, PERIOD),
            Limit.of(1, PERIOD).countingCalls());

    private final VirtualTimeSource time = new VirtualTimeSource();

    private RateLimiter.Builder fleet(Limit limit) {
        host.flush();
        Store store = new DistantStore(new ScriptStore(host, "test", time), time, TRIP.toNanos());
        return ModelFleet.builder(limit, store, SETTINGS).timeSource(time);
    }

    private static CompletableFuture<Lease> ask(RateLimiter limiter, int permits, Duration bound) {
        CompletableFuture<Lease> answer = new CompletableFuture<>();
        PermitRequest unused = limiter.acquire(permits, bound, answer::complete);
        return answer;
    }

    private static boolean isRefused(CompletableFuture<Lease> asked) {
        return asked.isDone() && asked.join().reason().stream().anyMatch(RefusalReason.MAX_WAIT::equals);
    }

    private void useUp(RateLimiter limiter) {
        CompletableFuture<Lease> all = ask(limiter, limiter.limit().capacity(), Duration.ofHours(1));
        time.advanceBy(TRIP);
        assertThat(all).isCompletedWithValueMatching(Lease::isAcquired);
    }

    @Test
    @DisplayName(
            "of a burst, whose bounds are too short is refused by the second answer, and nobody else: as in one JVM")
    void asInOneJvm() {
        for (Limit limit : LIMITS) {
            for (long seed = 1; seed <= 40; seed++) {
                Random random = new Random(seed);
                RateLimiter fleet = fleet(limit).build();
                RateLimiter local = RateLimiter.builder(limit).timeSource(time).build();
                useUp(fleet);
                assertThat(local.tryAcquire(limit.capacity()).isAcquired()).isTrue();
                List<CompletableFuture<Lease>> here = new ArrayList<>();
                List<CompletableFuture<Lease>> there = new ArrayList<>();
                for (int i = 2 + random.nextInt(12); i > 0; i--) {
                    int permits = 1 + random.nextInt(Math.min(3, limit.capacity()));
                    Duration bound = PERIOD.multipliedBy(random.nextInt(6)).plusMillis(200);
                    here.add(ask(local, permits, bound));
                    there.add(ask(fleet, permits, bound));
                    time.advanceBy(Duration.ofMillis(random.nextInt(2)));
                }
                time.advanceBy(TRIP.multipliedBy(2));
                String what = "%s, seed %d".formatted(limit, seed);
                assertThat(there.stream().map(MaxWaitDuringTripTest::isRefused))
                        .as(what)
                        .containsExactlyElementsOf(here.stream()
                                .map(MaxWaitDuringTripTest::isRefused)
                                .toList());
                time.advanceBy(PERIOD.multipliedBy(7));
                assertThat(there.stream().map(each -> each.join().isAcquired()))
                        .as(what)
                        .containsExactlyElementsOf(here.stream()
                                .map(each -> each.join().isAcquired())
                                .toList());
                fleet.close();
                local.close();
            }
        }
    }

    @Test
    @DisplayName("newest first, the answer refuses those that would be too late with nobody before them")
    void newestFirst() {
        RateLimiter fleet =
                fleet(Limit.of(1, PERIOD)).queueOrder(QueueOrder.NEWEST_FIRST).build();
        useUp(fleet);
        CompletableFuture<Lease> tooShort = ask(fleet, 1, PERIOD.dividedBy(2));
        CompletableFuture<Lease> longer = ask(fleet, 1, PERIOD.multipliedBy(3));
        time.advanceBy(TRIP.multipliedBy(2));
        assertThat(isRefused(tooShort)).isTrue();
        assertThat(longer).isNotDone();
        time.advanceBy(PERIOD.multipliedBy(2));
        assertThat(longer).isCompletedWithValueMatching(Lease::isAcquired);
    }

    @Test
    @DisplayName(
            "while the store is asked for more bookings, what it said before counts: a bound that is too short is refused at once")
    void whileMoreIsBooked() {
        RateLimiter fleet =
                fleet(Limit.tokenBucket(1, 20, Duration.ofSeconds(1))).build();
        useUp(fleet);
        List<CompletableFuture<Lease>> waiting = IntStream.range(0, 100)
                .mapToObj(i -> ask(fleet, 1, Duration.ofHours(1)))
                .toList();
        time.advanceBy(TRIP.multipliedBy(2));
        for (int millis = 0; millis < 2_000; millis++) {
            assertThat(isRefused(ask(fleet, 1, Duration.ofSeconds(2))))
                    .as("%d ms later", millis)
                    .isTrue();
            time.advanceBy(Duration.ofMillis(1));
        }
        time.advanceBy(Duration.ofSeconds(4));
        assertThat(waiting).allSatisfy(each -> assertThat(each).isCompletedWithValueMatching(Lease::isAcquired));
    }
}
