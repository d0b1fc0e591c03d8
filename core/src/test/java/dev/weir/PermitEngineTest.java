package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What only shows inside, or with policies of users. */
class PermitEngineTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final SteppedTime time = new SteppedTime(3);
    private final List<String> heard = new ArrayList<>();

    @Test
    @DisplayName("a take without a lease is counted, and its observer told")
    void consuming() {
        RateLimiter limiter = RateLimiter.builder(Limit.of(2, SECOND))
                .timeSource(time)
                .observer(new RateLimiterObserver() {
                    @Override
                    public void onAcquired(int permits, long waitedNanos) {
                        heard.add("acquired " + permits + " after " + waitedNanos);
                    }
                })
                .build();
        assertThat(limiter.tryConsume(0)).as("whether anything is there").isTrue();
        assertThat(limiter.tryConsume(2)).isTrue();
        assertThat(limiter.tryConsume(1)).isFalse();
        assertThat(limiter.tryConsume(0)).as("whether anything is there").isFalse();
        assertThat(heard).containsExactly("acquired 0 after 0", "acquired 2 after 0");
        assertThat(limiter.statistics()).isEqualTo(new RateLimiterStatistics(0, 0, 2, 0));
    }

    @Test
    @DisplayName("limiters and leases say what they are")
    void words() {
        RateLimiter limiter = RateLimiter.builder(Limit.of(2, SECOND))
                .timeSource(time)
                .name("api")
                .build();
        assertThat(limiter).hasToString("RateLimiter[api]");
        assertThat(limiter.tryAcquire(2)).hasToString("Lease[2 of api]");
        assertThat(limiter.tryAcquire(1)).hasToString("Lease[1 of api refused: EXHAUSTED]");
    }

    @Test
    @DisplayName("an engine of one of many keys counts in one field, then in a tally, and loses nothing")
    void counting() {
        PermitEngine engine = oneOfMany();
        engine.tryAcquire(5);
        engine.tryAcquire(1);
        engine.tryAcquire(2);
        assertThat(engine.statistics(0, 0)).isEqualTo(new RateLimiterStatistics(0, 0, 1, 2));
        engine.count(-2, 0);
        assertThat(engine.statistics(0, 0)).isEqualTo(new RateLimiterStatistics(0, 0, -1, 2));
        engine.count(1 << 30, 0);
        engine.count(7, 0);
        assertThat(engine.terms().tally).isNull();
        engine.count(1, 0);
        assertThat(engine.terms().tally).isNotNull();
        engine.tryAcquire(1);
        assertThat(engine.statistics(0, 0)).isEqualTo(new RateLimiterStatistics(0, 0, (1 << 30) + 7, 3));
    }

    @Test
    @DisplayName("a lease settled after its limiter was retired is charged the late way")
    void lateCharges() {
        PermitEngine engine = oneOfMany();
        Lease before = engine.tryAcquire(1);
        before.settle(2);
        assertThat(heard).isEmpty();
        Lease more = engine.tryAcquire(1);
        Lease less = engine.tryAcquire(2);
        assertThat(engine.retire()).isFalse();
        time.advanceBy(SECOND.multipliedBy(9));
        assertThat(engine.retire()).isTrue();
        more.settle(4);
        less.settle(1);
        assertThat(heard).containsExactly("late 3 of key");
    }

    private PermitEngine oneOfMany() {
        Settings settings = new Settings();
        settings.timeSource(time);
        settings.name("one");
        return new PermitEngine(
                Terms.oneOfMany(
                        settings, Limit.of(5, SECOND), (key, permits) -> heard.add("late " + permits + " of " + key)),
                "key");
    }

    @Test
    @DisplayName("permits that come by a signal go to who waits for them")
    void signals() {
        Signalling limit = new Signalling();
        RateLimiter limiter = RateLimiter.builder(limit).timeSource(time).build();
        CompletableFuture<Lease> waiting = limiter.acquire();
        assertThat(waiting).isNotDone();
        limit.isThere = true;
        limit.drain.run();
        assertThat(waiting.join().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("a policy that throws is told to who asked, and the next signal is heard")
    void throwingPolicy() {
        Signalling limit = new Signalling();
        RateLimiter limiter = RateLimiter.builder(limit).timeSource(time).build();
        CompletableFuture<Lease> unlucky = limiter.acquire();
        limit.isBroken = true;
        limit.drain.run();
        assertThat(unlucky.join().reason()).contains(RefusalReason.BACKEND_UNAVAILABLE);
        assertThat(unlucky.join().cause().orElseThrow()).hasMessage("broken");
        limit.isBroken = false;
        CompletableFuture<Lease> waiting = limiter.acquire();
        assertThat(waiting).isNotDone();
        limit.isThere = true;
        limit.drain.run();
        assertThat(waiting.join().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("zero is charged for nothing, and less is misuse")
    void charging() {
        RateLimiter limiter =
                RateLimiter.builder(Limit.of(2, SECOND)).timeSource(time).build();
        limiter.charge(0);
        assertThat(limiter.availablePermits()).isEqualTo(2);
        assertThatIllegalArgumentException().isThrownBy(() -> limiter.charge(-1));
    }

    @Test
    @DisplayName("a request behind a waiting one is told to come back when that is due")
    void behindOneWhoWaits() {
        RateLimiter limiter = RateLimiter.builder(Limit.tokenBucket(3, 1, SECOND))
                .timeSource(time)
                .build();
        limiter.tryAcquire(2);
        CompletableFuture<Lease> waiting = limiter.acquire(2);
        time.advanceBy(SECOND.dividedBy(4));
        assertThat(limiter.tryAcquire(1).retryAfter())
                .contains(SECOND.multipliedBy(3).dividedBy(4));
        assertThat(limiter.tryAcquire(3).retryAfter())
                .contains(SECOND.multipliedBy(7).dividedBy(4));
        assertThat(waiting.complete(null)).isTrue();
        assertThat(waiting.complete(null)).isFalse();
        assertThat(waiting.completeExceptionally(new IllegalStateException())).isFalse();
        assertThat(limiter.tryAcquire(1).isAcquired()).isTrue();
    }

    @Test
    @DisplayName("the pause that ends last holds, to the nanosecond, also where the clock wraps")
    void pauses() {
        for (long now : new long[] {0, -5, Long.MAX_VALUE - 5, Long.MIN_VALUE}) {
            Pause pause = new Pause();
            assertThat(pause.nanosLeft(now)).isZero();
            pause.extendTo(now + 10);
            pause.extendTo(now + 30);
            pause.extendTo(now + 20);
            assertThat(pause.nanosLeft(now)).isEqualTo(30);
            assertThat(pause.nanosLeft(now + 29)).isEqualTo(1);
            assertThat(pause.nanosLeft(now + 30)).isZero();
            assertThat(pause.nanosLeft(now)).as("over is over").isZero();
            pause.extendTo(now + 2);
            assertThat(pause.nanosLeft(now)).isEqualTo(2);
        }
    }

    @Test
    @DisplayName("a pause is measured by the clock also for a policy without time, and not ended")
    void pausedWhileOneIsAsked() {
        for (long origin : new long[] {5, -5_000_000_000L}) {
            SteppedTime clock = new SteppedTime(origin);
            Signalling limit = new Signalling();
            limit.isTimed = false;
            RateLimiter limiter = RateLimiter.builder(limit).timeSource(clock).build();
            limit.meanwhile = () -> limiter.pauseFor(SECOND);
            assertThat(limiter.tryAcquire(1).reason()).contains(RefusalReason.PAUSED);
            limit.meanwhile = () -> {};
            limit.isThere = true;
            assertThat(limiter.tryAcquire(1).reason()).contains(RefusalReason.PAUSED);
            assertThat(limiter.tryAcquire(1).retryAfter()).contains(SECOND);
            clock.advanceBy(SECOND);
            assertThat(limiter.tryAcquire(1).isAcquired()).isTrue();
        }
    }

    @Test
    @DisplayName("a request without a bound waits for longer than can be counted")
    void waitsForEver() {
        RateLimiter limiter = RateLimiter.builder(Limit.fixedWindow(1, Duration.ofMinutes(1)))
                .timeSource(time)
                .build();
        limiter.charge(40_000_000);
        CompletableFuture<Lease> first = limiter.acquire(1);
        time.advanceBy(5);
        limiter.charge(1);
        CompletableFuture<Lease> second = limiter.acquire(1);
        assertThat(first).isNotDone();
        assertThat(second).isNotDone();
    }

    @Test
    @DisplayName("the short ways make limiters, and what a limiter need not have says no")
    void defaults() {
        assertThat(RateLimiter.of(3, SECOND).limit()).isEqualTo(Limit.of(3, SECOND));
        assertThat(RateLimiter.of(Limit.concurrency(2)).limit()).isEqualTo(Limit.concurrency(2));
        RateLimiter foreign = new ForeignLimiter(RateLimiter.of(3, SECOND));
        assertThat(foreign.tryConsume(1)).isFalse();
        assertThat(foreign.tryAcquire().permits()).isEqualTo(1);
        assertThat(foreign.acquire().join().permits()).isEqualTo(1);
    }

    @Test
    @DisplayName("a lease that knows no better is given back by settling for nothing and closing")
    void givingBack() {
        foreignLease(true).giveBack();
        assertThat(heard).containsExactly("settled for 0", "closed");
    }

    private Lease foreignLease(boolean isAcquired) {
        return new Lease() {
            @Override
            public boolean isAcquired() {
                return isAcquired;
            }

            @Override
            public int permits() {
                return 1;
            }

            @Override
            public Optional<RefusalReason> reason() {
                return Optional.empty();
            }

            @Override
            public Optional<Duration> retryAfter() {
                return Optional.empty();
            }

            @Override
            public void settle(int actualPermits) {
                heard.add("settled for " + actualPermits);
            }

            @Override
            public void close() {
                heard.add("closed");
            }
        };
    }

    @Test
    @DisplayName("the exception says as much as is known of a refusal by a limiter of a foreign class")
    void exceptionOfAForeignRefusal() {
        RateLimitExceededException exception = new RateLimitExceededException(foreignLease(false), null);
        assertThat(exception).hasMessage("Rate limiter 'null' refused 1 permit(s)");
        assertThat(exception.limiterName()).isEqualTo("null");
    }

    @Test
    @DisplayName("the exception says who refused what, why and until when")
    void exception() {
        RateLimiter limiter = RateLimiter.builder(Limit.of(2, SECOND))
                .timeSource(time)
                .name("api")
                .build();
        limiter.tryAcquire(2);
        Lease refused = limiter.tryAcquire(2);
        RateLimitExceededException exception = new RateLimitExceededException(refused, limiter.name());
        assertThat(exception)
                .hasMessage("Rate limiter 'api' refused 2 permit(s): EXHAUSTED, retry after PT1S")
                .hasNoCause();
        assertThat(exception.lease()).isSameAs(refused);
        assertThat(exception.limiterName()).isEqualTo("api");
        assertThat(exception.getStackTrace()).isEmpty();
        IllegalStateException beside = new IllegalStateException("beside");
        exception.addSuppressed(beside);
        assertThat(exception).as("where frameworks say which stream it was").hasSuppressedException(beside);
    }

    /** Has a permit when told so. */
    private static final class Signalling extends StatelessPolicy implements Limit {

        private Runnable drain;
        private boolean isThere;
        private boolean isBroken;
        private boolean isTimed = true;

        /** What happens while it is asked. */
        private Runnable meanwhile = () -> {};

        @Override
        public int capacity() {
            return 1;
        }

        @Override
        public PermitPolicy newPolicy(long nowNanos) {
            return this;
        }

        @Override
        public void signalTo(Runnable wake) {
            drain = wake;
        }

        @Override
        public long tryTake(int permits, long nowNanos) {
            if (isBroken) {
                throw new IllegalStateException("broken");
            }
            meanwhile.run();
            return isThere ? TAKEN : AWAIT_SIGNAL;
        }

        @Override
        public boolean isTimed() {
            return isTimed;
        }

        @Override
        public long available(long nowNanos) {
            return isThere ? 1 : 0;
        }
    }
}
