package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.PermitRequest;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who waits behind others within a bound is served, or refused, as by a limiter in one JVM, and at the same time. */
class BoundedWaitsBehindOthersTest extends ScriptsOnAServer {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** When something was taken, in milliseconds, and how many permits. */
    private record Taken(int atMillis, int permits) {}

    private final VirtualTimeSource time = new VirtualTimeSource();

    private void assertServedInTime(Limit limit, List<Taken> taken, int ahead, int permits, int boundMillis) {
        host.flush();
        RateLimiter local = RateLimiter.builder(limit).timeSource(time).build();
        RateLimiter fleet = fleet(limit, "test");
        long began = time.nanoTime();
        for (Taken each : taken) {
            time.advanceBy(Duration.ofNanos(began + each.atMillis * 1_000_000L - time.nanoTime()));
            for (RateLimiter limiter : List.of(local, fleet)) {
                assertThat(ask(limiter, each.permits, Duration.ofHours(1)))
                        .isCompletedWithValueMatching(Lease::isAcquired);
            }
        }
        time.advanceBy(Duration.ofMillis(100));
        List<CompletableFuture<Lease>> asked = new ArrayList<>();
        for (RateLimiter limiter : List.of(local, fleet)) {
            asked.add(ask(limiter, ahead, Duration.ofHours(1)));
            asked.add(ask(limiter, permits, Duration.ofMillis(boundMillis)));
        }
        String what = "%d behind %d of %s, after %s".formatted(permits, ahead, limit, taken);
        assertThat(asked).as(what).allSatisfy(each -> assertThat(each).isNotDone());
        for (int millis = 0; millis < boundMillis; millis++) {
            time.advanceBy(Duration.ofMillis(1));
            assertThat(asked.get(3).isDone())
                    .as("%s, %d ms later", what, millis)
                    .isEqualTo(asked.get(1).isDone());
        }
        assertThat(asked.get(3)).as(what).isCompletedWithValueMatching(Lease::isAcquired);
        local.close();
        fleet.close();
    }

    private RateLimiter fleet(Limit limit, String key) {
        return ModelFleet.builder(limit, new ScriptStore(host, key, time), WhenUnavailable.REFUSE)
                .timeSource(time)
                .build();
    }

    private static CompletableFuture<Lease> ask(RateLimiter limiter, int permits, Duration bound) {
        CompletableFuture<Lease> answer = new CompletableFuture<>();
        PermitRequest unused = limiter.acquire(permits, bound, answer::complete);
        return answer;
    }

    @Test
    @DisplayName("of several limits, each takes its own period for what exceeds it, not the longest of them")
    void severalPeriods() {
        List<Taken> two = List.of(new Taken(0, 2));
        Limit pair = Limit.of(2, SECOND);
        assertServedInTime(Limit.allOf(pair, Limit.of(100, MINUTE)), two, 2, 1, 5_000);
        assertServedInTime(Limit.allOf(pair, Limit.tokenBucket(100, 100, MINUTE)), two, 2, 2, 2_000);
        assertServedInTime(Limit.allOf(pair, Limit.of(100, MINUTE).countingCalls()), two, 2, 1, 1_900);
        assertServedInTime(Limit.allOf(pair, Limit.concurrency(50), Limit.of(9, MINUTE)), two, 2, 2, 1_900);
    }

    @Test
    @DisplayName("a bucket that is partly full needs no whole period for what exceeds it")
    void partlyFull() {
        assertServedInTime(Limit.tokenBucket(10, 10, SECOND), List.of(new Taken(0, 6)), 6, 6, 800);
        assertServedInTime(Limit.tokenBucket(10, 10, SECOND).refillingInSteps(), List.of(new Taken(0, 9)), 4, 7, 1_900);
    }

    @Test
    @DisplayName("a request that is spaced like one permit waits for one, whatever its size")
    void spaced() {
        assertServedInTime(Limit.leakyBucket(10, SECOND), List.of(new Taken(0, 3)), 1, 10, 400);
    }

    @Test
    @DisplayName("a bounded request uses permits that come back together, though others come late")
    void unevenlyUsed() {
        List<Taken> taken = List.of(new Taken(0, 9), new Taken(800, 1));
        assertServedInTime(Limit.of(10, SECOND), taken, 1, 5, 300);
        assertServedInTime(Limit.slidingWindow(10, SECOND, 100), taken, 1, 5, 300);
    }

    @Test
    @DisplayName("a bounded request of a chain behind others is served or refused in time")
    void ofAChain() {
        RateLimiter chain = RateLimiter.chain(
                fleet(Limit.of(10, SECOND), "exact"), fleet(Limit.tokenBucket(100, 100, SECOND), "bucket"));
        assertThat(ask(chain, 9, Duration.ZERO)).isCompletedWithValueMatching(Lease::isAcquired);
        time.advanceBy(Duration.ofMillis(800));
        assertThat(ask(chain, 1, Duration.ZERO)).isCompletedWithValueMatching(Lease::isAcquired);
        time.advanceBy(Duration.ofMillis(100));
        CompletableFuture<Lease> first = ask(chain, 1, SECOND);
        CompletableFuture<Lease> behind = ask(chain, 5, Duration.ofMillis(300));
        assertThat(List.of(first, behind)).allSatisfy(each -> assertThat(each).isNotDone());
        time.advanceBy(Duration.ofMillis(101));
        assertThat(List.of(first, behind))
                .allSatisfy(each -> assertThat(each).isCompletedWithValueMatching(Lease::isAcquired));
    }

    @Test
    @DisplayName("an answer about the request itself holds, though fewer permits come sooner")
    void saidOfTheRequest() {
        Limit limit = Limit.of(10, SECOND);
        RateLimiter fleet = fleet(limit, "test");
        assertThat(ask(fleet, 2, Duration.ZERO)).isCompletedWithValueMatching(Lease::isAcquired);
        time.advanceBy(Duration.ofMillis(800));
        assertThat(ask(fleet, 8, Duration.ZERO)).isCompletedWithValueMatching(Lease::isAcquired);
        assertThat(ask(fleet, 5, Duration.ofMillis(999)))
                .isCompletedWithValueMatching(lease -> lease.reason().equals(Optional.of(RefusalReason.MAX_WAIT)));
        assertThat(ask(fleet, 5, SECOND)).isNotDone();
    }
}
