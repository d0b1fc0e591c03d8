package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Lease;
import dev.weir.PermitListener;
import dev.weir.PermitRequest;
import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class PermitLedgerTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final PermitLedger ledger = new PermitLedger();
    private final VirtualTimeSource time = new VirtualTimeSource();

    @Test
    void agreesWhileEveryGrantIsDelivered() {
        RateLimiter limiter = limiter(Limit.of(5, SECOND), QueueOrder.OLDEST_FIRST);
        ledger.delivered(limiter.tryAcquire(3));
        ledger.delivered(limiter.tryAcquire(3));
        limiter.acquire(4, ledger.listener(lease -> {}));
        ledger.assertConserved();
        time.advanceBy(SECOND);
        ledger.assertConserved();
        assertThat(ledger.granted()).isEqualTo(7);
        assertThat(ledger.held()).isEqualTo(7);
        assertThat(ledger.grantTimes().neverExceeds(5, SECOND).sinceFirst())
                .containsExactly(Duration.ZERO, Duration.ZERO, Duration.ZERO, SECOND, SECOND, SECOND, SECOND);
    }

    @Test
    void aDirectListenerIsStillToldInsideAcquire() {
        RateLimiter limiter = limiter(Limit.of(5, SECOND), QueueOrder.OLDEST_FIRST);
        List<String> heard = new ArrayList<>();
        PermitListener.Direct direct = lease -> heard.add("direct");
        limiter.acquire(1, outer -> {
            limiter.acquire(1, ledger.listener(direct));
            limiter.acquire(1, ledger.listener(lease -> heard.add("later")));
            heard.add("acquired");
        });
        assertThat(heard).containsExactly("direct", "acquired", "later");
    }

    @Test
    void noticesAGrantThatNobodyReceived() {
        Limit limit = ledger.watching(Limit.of(5, SECOND));
        limit.newPolicy(0).tryTake(2, 0);
        assertThatThrownBy(ledger::assertConserved)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("2 permit(s) lost")
                .hasMessageContaining("granted 2");
    }

    @Test
    void noticesAGrantThatNobodyMade() {
        ledger.delivered(RateLimiter.of(5, SECOND).tryAcquire(3));
        assertThatThrownBy(ledger::assertConserved)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("3 permit(s) made up")
                .hasMessageContaining("delivered 3");
    }

    @Test
    void noticesAPermitGivenBackTwice() {
        PermitPolicy policy = ledger.watching(Limit.of(5, SECOND)).newPolicy(0);
        policy.tryTake(2, 0);
        policy.giveBack(2, 0, 1);
        ledger.assertConserved();
        policy.giveBack(2, 0, 1);
        assertThatThrownBy(ledger::assertConserved).hasMessageContaining("2 permit(s) made up");
    }

    @Test
    void nobodyReturnsLessThanNothing() {
        assertThatThrownBy(() -> ledger.returned(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1");
        ledger.assertConserved();
    }

    @Test
    void aRefusalAndAProbeMoveNothing() {
        RateLimiter limiter = limiter(Limit.of(1, SECOND), QueueOrder.OLDEST_FIRST);
        ledger.delivered(limiter.tryAcquire(0));
        ledger.delivered(limiter.tryAcquire(1));
        ledger.delivered(limiter.tryAcquire(1));
        assertThat(ledger).hasToString("granted 1, given back 0, held 1");
        ledger.assertConserved();
    }

    @Test
    void theWatchedLimitDecidesAsTheOther() {
        Limit limit = Limit.of(3, SECOND);
        Seeds.each(5, seed -> {
            PermitPolicy plain = limit.newPolicy(0);
            PermitPolicy watched = ledger.watching(limit).newPolicy(0);
            Random random = new Random(seed);
            long now = 0;
            for (int i = 0; i < 500; i++) {
                int permits = random.nextInt(4);
                now += random.nextInt(500_000_000);
                assertThat(watched.tryTake(permits, now)).isEqualTo(plain.tryTake(permits, now));
                assertThat(watched.nanosUntil(6, 1, now)).isEqualTo(plain.nanosUntil(6, 1, now));
                assertThat(watched.available(now)).isEqualTo(plain.available(now));
                assertThat(watched.nanosUntilFull(now)).isEqualTo(plain.nanosUntilFull(now));
                assertThat(watched.nanosSinceFull(now)).isEqualTo(plain.nanosSinceFull(now));
            }
        });
        PermitPolicy watched = ledger.watching(limit).newPolicy(0);
        assertThat(watched.capacity()).isEqualTo(3);
        assertThat(watched.returnsOnRelease()).isFalse();
        assertThat(ledger.watching(limit)).hasToString(limit.toString());
    }

    @Test
    void theWatchedLimitIsReconfiguredToAWatchedOneOfTheSameKind() {
        RateLimiter limiter = limiter(Limit.of(1, SECOND), QueueOrder.OLDEST_FIRST);
        limiter.reconfigure(ledger.watching(Limit.of(4, SECOND)));
        assertThat(limiter.availablePermits()).isEqualTo(4);
        assertThatThrownBy(() -> limiter.reconfigure(ledger.watching(Limit.concurrency(4))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> limiter.reconfigure(Limit.of(4, SECOND))).isInstanceOf(IllegalArgumentException.class);
        assertThat(limiter.limit().capacity()).isEqualTo(4);
    }

    @Test
    void permitsAreConservedByAnyScriptOnTimedLimits() {
        Seeds.each(100, seed -> {
            for (QueueOrder order : QueueOrder.values()) {
                runScript(Limit.of(7, SECOND), order, seed);
            }
        });
    }

    @Test
    void permitsAreConservedByAnyScriptOnLeasedLimits() {
        Seeds.each(100, seed -> {
            for (QueueOrder order : QueueOrder.values()) {
                runScript(Limit.concurrency(7), order, seed);
            }
        });
    }

    private void runScript(Limit limit, QueueOrder order, long seed) {
        Random random = new Random(seed);
        PermitLedger books = new PermitLedger();
        boolean leased = limit.newPolicy(0).returnsOnRelease();
        RateLimiter limiter = RateLimiter.builder(books.watching(limit))
                .queueLimit(20)
                .queueOrder(order)
                .timeSource(time)
                .build();
        List<PermitRequest> requests = new ArrayList<>();
        List<Lease> leases = new ArrayList<>();
        for (int step = 0; step < 300; step++) {
            int permits = random.nextInt(8);
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> requests.add(limiter.acquire(permits, books.listener(leases::add)));
                case 3 -> leases.add(books.delivered(limiter.tryAcquire(permits)));
                case 4 -> pick(requests, random).ifPresent(PermitRequest::cancel);
                case 5 ->
                    pick(leases, random).ifPresent(lease -> returnOnce(books, lease, leased, random.nextBoolean()));
                case 6 -> time.advanceBy(Duration.ofMillis(random.nextInt(700)));
                default -> limiter.pauseFor(Duration.ofMillis(random.nextInt(100)));
            }
            assertConserved(books, step);
        }
        limiter.close();
        assertConserved(books, 300);
    }

    private static void assertConserved(PermitLedger books, int step) {
        try {
            books.assertConserved();
        } catch (AssertionError e) {
            throw new AssertionError("step " + step + ": " + e.getMessage(), e);
        }
    }

    private static void returnOnce(PermitLedger books, Lease lease, boolean leased, boolean giveBack) {
        if (lease.isAcquired() && (giveBack || leased)) {
            books.returned(lease.permits());
        }
        if (giveBack) {
            lease.giveBack();
        } else {
            lease.close();
        }
    }

    private static <T> Optional<T> pick(List<T> from, Random random) {
        return from.isEmpty() ? Optional.empty() : Optional.of(from.remove(random.nextInt(from.size())));
    }

    private RateLimiter limiter(Limit limit, QueueOrder order) {
        return RateLimiter.builder(ledger.watching(limit))
                .queueOrder(order)
                .timeSource(time)
                .build();
    }
}
