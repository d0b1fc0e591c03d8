package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * A limit of somebody else's making that tells a wait by taking permits and giving them back: whoever comes in between finds them
 * missing, and waits for a signal.
 */
class WaitFoundByTakingTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final SteppedTime time = new SteppedTime(-7);
    private final Slots slots = new Slots();
    private final Limit own = new Own(slots);
    private final List<Lease> told = new ArrayList<>();

    private RateLimiter limiter(Limit limit) {
        return RateLimiter.builder(limit).timeSource(time).build();
    }

    @Test
    @DisplayName("permits that come while they are looked at for somebody else are granted to who waits")
    void comeWhileLookedAt() {
        for (Runnable look : looksAt(limiter(own))) {
            look.run();
            assertThat(told).singleElement().matches(Lease::isAcquired);
            told.remove(0).close();
        }
    }

    /** One slot of two is out while somebody waits for both; it comes back as another asks for the one that is there. */
    private List<Runnable> looksAt(RateLimiter limiter) {
        RateLimiter exhausted = limiter(Limit.of(1, SECOND));
        exhausted.tryAcquire();
        RateLimiter chain = RateLimiter.chain(exhausted, limiter);
        Runnable arrange = () -> {
            Lease out = limiter.tryAcquire(1);
            limiter.acquire(2, told::add);
            slots.beforeItGivesBack = out::close;
        };
        return List.of(
                () -> {
                    arrange.run();
                    limiter.tryAcquire(1);
                },
                () -> {
                    arrange.run();
                    chain.tryAcquire(1);
                },
                () -> {
                    arrange.run();
                    List<Lease> refused = new ArrayList<>();
                    limiter.acquire(1, Duration.ZERO, refused::add);
                    assertThat(refused).singleElement().matches(lease -> !lease.isAcquired());
                });
    }

    @Test
    @DisplayName("a request finds permits taken for a look at several limits, of which another has none left")
    void amongOthers() {
        RateLimiter limiter = limiter(Limit.allOf(own, Limit.of(2, SECOND)));
        limiter.tryAcquire(2).close();
        slots.beforeItGivesBack = () -> {
            slots.beforeItGivesBack = () -> {};
            limiter.acquire(2, told::add);
        };
        assertThat(limiter.tryAcquire(1).isAcquired()).isFalse();
        time.advanceBy(SECOND);
        assertThat(told).singleElement().matches(Lease::isAcquired);
    }

    @Test
    @DisplayName("a request finds permits taken for a look that fails at another limit")
    void besideOneThatFails() {
        Store breaking = new Store();
        breaking.isOpen = true;
        Limit all = Limit.allOf(own, new Own(breaking));
        for (Consumer<BuiltInLimiter> look : looksThatFail()) {
            BuiltInLimiter limiter = (BuiltInLimiter) limiter(all);
            limiter.pauseFor(SECOND);
            slots.beforeItGivesBack = () -> {
                time.advanceBy(SECOND);
                limiter.acquire(2, told::add);
                breaking.isBreaking = true;
            };
            assertThatIllegalStateException()
                    .isThrownBy(() -> look.accept(limiter))
                    .withMessage("on purpose");
            assertThat(told).singleElement().matches(Lease::isAcquired);
            told.remove(0).close();
        }
    }

    /** Each looks at the limit although it is paused. */
    private List<Consumer<BuiltInLimiter>> looksThatFail() {
        return List.of(
                RateLimiter::tryAcquire,
                limiter -> limiter.acquire(1, Duration.ZERO, lease -> {}),
                limiter -> limiter.nanosUntil(0, 1, time.nanoTime()),
                limiter -> limiter.nanosAtLeast(Ahead.NOTHING, 1, time.nanoTime()));
    }

    @Test
    @DisplayName("a request finds permits taken for a look whether a store still has to answer")
    void besideAStore() {
        Store store = new Store();
        Limit all = Limit.allOf(own, new Own(store), Limit.of(2, SECOND));
        RateLimiter limiter = RateLimiter.builder(all)
                .timeSource(time)
                .policies((limit, key, now) -> limit.newPolicy(now))
                .build();
        store.isOpen = true;
        limiter.tryAcquire(2).close();
        store.isOpen = false;
        List<Lease> refused = new ArrayList<>();
        slots.beforeItGivesBack = () -> slots.beforeItGivesBack = () -> {
            store.isOpen = true;
            time.advanceBy(SECOND);
            limiter.acquire(2, told::add);
        };
        limiter.acquire(1, Duration.ZERO, refused::add);
        assertThat(refused).singleElement().matches(lease -> !lease.isAcquired());
        assertThat(told).singleElement().matches(Lease::isAcquired);
    }

    @Test
    @DisplayName("a request finds permits taken for a look for another without room")
    void forOneWithoutRoom() {
        RateLimiter limiter = RateLimiter.builder(Limit.allOf(own, Limit.of(2, SECOND)))
                .queueLimit(2)
                .timeSource(time)
                .build();
        Lease out = limiter.tryAcquire(1);
        limiter.tryAcquire(1).close();
        limiter.acquire(2, told::add);
        CompletableFuture<Void> isInside = new CompletableFuture<>();
        CompletableFuture<Void> haveAsked = new CompletableFuture<>();
        slots.beforeItTakes = () -> {
            isInside.complete(null);
            haveAsked.join();
        };
        CompletableFuture<Void> decides = CompletableFuture.runAsync(((BuiltInLimiter) limiter)::signal);
        isInside.join();
        List<Lease> refused = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            limiter.acquire(1, refused::add);
        }
        slots.beforeItGivesBack = () -> {
            out.close();
            time.advanceBy(SECOND);
            haveAsked.complete(null);
            decides.join();
        };
        limiter.acquire(1, refused::add);
        assertThat(refused).hasSize(4).noneMatch(Lease::isAcquired);
        assertThat(told).singleElement().matches(Lease::isAcquired);
    }

    private record Own(PermitPolicy policy) implements Limit {

        @Override
        public int capacity() {
            return 2;
        }

        @Override
        public PermitPolicy newPolicy(long nowNanos) {
            return policy;
        }
    }

    /** A store that has enough, and says so once it has answered; it may throw, once. */
    private static final class Store extends StatelessPolicy {

        private boolean isOpen;
        private boolean isBreaking;

        @Override
        public long tryTake(int permits, long nowNanos) {
            if (isBreaking) {
                isBreaking = false;
                throw new IllegalStateException("on purpose");
            }
            return isOpen ? TAKEN : AWAIT_SIGNAL;
        }

        @Override
        public long nanosUntilDecided(int permits, long nowNanos) {
            return isOpen ? 0 : SECOND.toNanos();
        }

        @Override
        public long available(long nowNanos) {
            return isOpen ? 2 : 0;
        }
    }

    /** Two slots that come back with their leases. Has no more than what has no default; belongs to one thread at a time. */
    private static final class Slots implements PermitPolicy {

        private int free = 2;
        private Runnable beforeItTakes = () -> {};
        private Runnable beforeItGivesBack = () -> {};

        @Override
        public long tryTake(int permits, long nowNanos) {
            Runnable once = beforeItTakes;
            beforeItTakes = () -> {};
            once.run();
            if (free < Math.max(1, permits)) {
                return AWAIT_SIGNAL;
            }
            free -= permits;
            return TAKEN;
        }

        @Override
        public void giveBack(int permits, long takenAtNanos, long nowNanos) {
            Runnable once = beforeItGivesBack;
            beforeItGivesBack = () -> {};
            once.run();
            free += permits;
        }

        @Override
        public void charge(int permits, long nowNanos) {}

        @Override
        public long available(long nowNanos) {
            return free;
        }

        @Override
        public long nanosUntilFull(long nowNanos) {
            return free == 2 ? 0 : AWAIT_SIGNAL;
        }

        @Override
        public boolean returnsOnRelease() {
            return true;
        }

        @Override
        public void release(int permits, long nowNanos) {
            free += permits;
        }
    }
}
