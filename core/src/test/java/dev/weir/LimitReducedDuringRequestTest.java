package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A limit that becomes smaller than a request just after the request was checked. */
class LimitReducedDuringRequestTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private static final List<BiConsumer<RateLimiter, List<Lease>>> WAYS = List.of(
            (limiter, told) -> limiter.acquire(4, told::add),
            (limiter, told) -> limiter.acquire(4, Duration.ZERO, told::add),
            (limiter, told) -> told.add(limiter.tryAcquire(4)));

    @Test
    @DisplayName("a request larger than the limit has just become is refused at once, without a time")
    void refused() {
        for (boolean behindOthers : new boolean[] {false, true}) {
            for (int way = 0; way < WAYS.size(); way++) {
                BreakingTime time = new BreakingTime();
                RateLimiter limiter = RateLimiter.builder(Limit.of(5, SECOND))
                        .timeSource(time)
                        .build();
                limiter.tryAcquire(5);
                if (behindOthers) {
                    limiter.acquire(1, ahead -> {});
                }
                List<Lease> told = new ArrayList<>();
                time.onNextReading = () -> limiter.reconfigure(Limit.of(2, SECOND));
                WAYS.get(way).accept(limiter, told);
                assertThat(told)
                        .as("way %s, behind others: %s", way, behindOthers)
                        .singleElement()
                        .satisfies(LimitReducedDuringRequestTest::isRefusedForGood);
            }
        }
    }

    @Test
    @DisplayName("a request larger than the limit has just become is refused for want of room, without a time")
    void refusedForWantOfRoom() {
        BreakingTime time = new BreakingTime();
        Runnable[] meanwhile = {() -> {}};
        RateLimiter limiter = RateLimiter.builder(Limit.of(5, SECOND))
                .queueLimit(1)
                .timeSource(new DelegatingTime(time) {
                    @Override
                    public Cancellable schedule(Runnable task, long delayNanos) {
                        Runnable once = meanwhile[0];
                        meanwhile[0] = () -> {};
                        once.run();
                        return super.schedule(task, delayNanos);
                    }
                })
                .build();
        limiter.tryAcquire(5);
        List<Lease> told = new ArrayList<>();
        meanwhile[0] = () -> {
            for (int i = 0; i < 10; i++) {
                limiter.acquire(1, ahead -> {});
            }
            time.onNextReading = () -> limiter.reconfigure(Limit.of(2, SECOND));
            limiter.acquire(4, told::add);
        };
        limiter.acquire(1, ahead -> {});
        assertThat(told).singleElement().satisfies(lease -> {
            assertThat(lease.reason()).contains(RefusalReason.QUEUE_FULL);
            assertThat(lease.retryAfter()).isEmpty();
        });
    }

    @Test
    @DisplayName("a chain refuses a request larger than a member has just become, without a time")
    void refusedByAChain() {
        BreakingTime time = new BreakingTime();
        RateLimiter member =
                RateLimiter.builder(Limit.of(5, SECOND)).timeSource(time).build();
        RateLimiter chain = RateLimiter.chain(
                member,
                RateLimiter.builder(Limit.of(5, SECOND)).timeSource(time).build());
        member.tryAcquire(5);
        chain.acquire(1, ahead -> {});
        time.onNextReading = () -> member.reconfigure(Limit.of(2, SECOND));
        assertThat(chain.tryAcquire(4)).satisfies(LimitReducedDuringRequestTest::isRefusedForGood);
    }

    private static void isRefusedForGood(Lease lease) {
        assertThat(lease.reason()).contains(RefusalReason.EXHAUSTED);
        assertThat(lease.retryAfter()).isEmpty();
    }
}
