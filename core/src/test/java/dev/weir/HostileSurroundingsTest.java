package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Functions of users that fail or call back, beyond what the contracts of the kit hold. */
class HostileSurroundingsTest extends OnBreakingTime {

    @Test
    @DisplayName("a handler of uncaught exceptions that throws keeps no answer back, at once or from the line")
    void hostileHandler() throws InterruptedException {
        RateLimiter slots =
                RateLimiter.builder(Limit.concurrency(10)).timeSource(time).build();
        List<Throwable> escaped = new ArrayList<>();
        Thread releasing = new Thread(() -> {
            Lease all = slots.tryAcquire(10);
            for (int i = 0; i < 10; i++) {
                slots.acquire(1, lease -> {
                    heard.add("told");
                    throw new IllegalStateException("on purpose");
                });
            }
            try {
                all.close();
                limiter.acquire(1, lease -> {
                    throw new IllegalStateException("on purpose");
                });
            } catch (RuntimeException thrown) {
                escaped.add(thrown);
            }
        });
        releasing.setUncaughtExceptionHandler((thread, thrown) -> {
            throw new IllegalArgumentException("also on purpose", thrown);
        });
        releasing.start();
        releasing.join();
        assertThat(escaped).isEmpty();
        assertThat(heard).hasSize(10);
    }

    @Test
    @DisplayName("stages behind a future may cancel others, ask, give back and close, and throw besides")
    void hostileStages() {
        ask("first");
        CompletableFuture<Lease> second = limiter.acquire();
        CompletableFuture<Lease> third = limiter.acquire();
        CompletableFuture<Lease> fourth = limiter.acquire();
        CompletableFuture<Void> failed = second.thenAccept(lease -> {
            third.cancel(false);
            ask("fifth");
            lease.giveBack();
            throw new IllegalStateException("on purpose");
        });
        CompletableFuture<Void> closing = fourth.thenAccept(lease -> limiter.close());
        time.advanceBy(10);
        assertThat(failed).isCompletedExceptionally();
        assertThat(closing).isCompleted();
        assertThat(fourth.join().isAcquired()).isTrue();
        assertThat(heard).containsExactly("first", "fifth refused");
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName("a limit function that asks for its own key and others, or closes them all, gets answers like anybody")
    void hostileLimitFunction() {
        List<PartitionedRateLimiter<String>> own = new ArrayList<>();
        List<String> making = new ArrayList<>();
        PartitionedRateLimiter<String> limiters = PartitionedRateLimiter.<String>builder(key -> {
                    making.add(key);
                    if (making.size() == 1) {
                        heard.add("inside " + own.get(0).tryAcquire("a", 1).isAcquired());
                        heard.add("inside " + own.get(0).tryAcquire("b", 1).isAcquired());
                    } else if (key.equals("c")) {
                        own.get(0).close();
                    }
                    return Limit.of(2, Duration.ofNanos(10));
                })
                .timeSource(time)
                .build();
        own.add(limiters);
        assertThat(limiters.tryAcquire("a", 1).isAcquired()).isTrue();
        assertThat(heard).containsExactly("inside true", "inside true");
        assertThat(limiters.tryAcquire("a", 1).isAcquired())
                .as("two were taken")
                .isFalse();
        assertThat(limiters.keyCount()).isEqualTo(2);
        assertThatIllegalStateException().isThrownBy(() -> limiters.tryAcquire("c", 1));
    }

    @Test
    @DisplayName("a policy that changes the limit anew while it is changed: what was changed last is granted, and told")
    void hostilePolicy() {
        List<RateLimiter> own = new ArrayList<>();
        List<Limit> meanwhile = new ArrayList<>(List.of(Limit.of(2, Duration.ofNanos(10))));
        own.add(RateLimiter.builder(Limit.of(1, Duration.ofNanos(10)))
                .policies((limit, key, now) -> InterleavingPolicies.whenReconfigured(limit.newPolicy(now), () -> {
                    if (!meanwhile.isEmpty()) {
                        own.get(0).reconfigure(meanwhile.remove(0));
                    }
                }))
                .timeSource(time)
                .build());
        Limit last = Limit.of(3, Duration.ofNanos(10));
        own.get(0).reconfigure(last);
        assertThat(own.get(0).limit()).isEqualTo(last);
        assertThat(own.get(0).tryAcquire(3).isAcquired()).isTrue();
    }

    @Test
    @DisplayName("a policy that closes its limiter while it is changed: the limiter stays closed")
    void policyThatCloses() {
        List<RateLimiter> own = new ArrayList<>();
        own.add(RateLimiter.builder(Limit.of(1, Duration.ofNanos(10)))
                .policies((limit, key, now) -> InterleavingPolicies.whenReconfigured(
                        limit.newPolicy(now), () -> own.get(0).close()))
                .timeSource(time)
                .build());
        own.get(0).reconfigure(Limit.of(3, Duration.ofNanos(10)));
        assertThatIllegalStateException().isThrownBy(() -> own.get(0).tryAcquire());
    }

    @Test
    @DisplayName(
            "a key whose hashCode asks for an equal key, or throws, gets one limiter at most, and leaves no place taken")
    void hostileKey() {
        int calls = 1;
        while (asksAtCall(calls) && breaksAtCall(calls)) {
            calls++;
        }
        assertThat(calls).as("calls of hashCode").isGreaterThan(4);
    }

    /** Returns whether hashCode was called so often. */
    private boolean asksAtCall(int call) {
        PartitionedRateLimiter<Object> limiters = limitersOfTwo(2);
        HostileKey key = new HostileKey(call, () -> limiters.tryAcquire(new HostileKey(0, () -> {}), 1));
        assertThat(limiters.tryAcquire(key, 1).isAcquired()).isTrue();
        assertThat(limiters.tryAcquire(new HostileKey(0, () -> {}), 1).isAcquired())
                .as("two were taken by call %d", call)
                .isNotEqualTo(key.wasHostile());
        assertThat(limiters.tryAcquire("another", 1).isAcquired())
                .as("room after call %d", call)
                .isTrue();
        return key.wasHostile();
    }

    /** Returns whether hashCode was called so often. */
    private boolean breaksAtCall(int call) {
        PartitionedRateLimiter<Object> limiters = limitersOfTwo(1);
        HostileKey key = new HostileKey(call, () -> {
            throw new IllegalStateException("on purpose");
        });
        Throwable thrown = catchThrowable(() -> limiters.tryAcquire(key, 1));
        if (thrown != null) {
            assertThat(thrown).hasMessage("on purpose");
            assertThat(limiters.tryAcquire("another", 1).isAcquired())
                    .as("room after call %d", call)
                    .isTrue();
        }
        return thrown != null;
    }

    @Test
    @DisplayName(
            "a key whose hashCode throws as it is to be forgotten fails no other key, and its room is free once that works again")
    void forgettingFails() {
        PartitionedRateLimiter<Object> limiters = limitersOfTwo(1);
        int[] failures = new int[1];
        Object key = new Object() {
            @Override
            public int hashCode() {
                if (failures[0] > 0) {
                    failures[0]--;
                    throw new IllegalStateException("on purpose");
                }
                return 7;
            }
        };
        limiters.tryAcquire(key, 1);
        time.advanceBy(1_000);
        failures[0] = 1_000;
        assertThat(limiters.tryAcquire("another", 1).isAcquired()).isFalse();
        assertThat(limiters.keyCount()).isOne();
        failures[0] = 0;
        assertThat(limiters.tryAcquire("another", 1).isAcquired()).isTrue();
    }

    @Test
    @DisplayName("whichever call of a key's equals throws as the key is added, its room is free afterwards")
    void addingFails() {
        AtomicInteger callsLeft = new AtomicInteger();
        record Colliding(int number, AtomicInteger callsLeft) {
            @Override
            public int hashCode() {
                return 7;
            }

            @Override
            public boolean equals(@Nullable Object other) {
                if (callsLeft.decrementAndGet() == 0) {
                    throw new IllegalStateException("on purpose");
                }
                return other instanceof Colliding key && key.number == number;
            }
        }
        int keys = 20; // so many of one hash are kept in a tree
        PartitionedRateLimiter<Object> limiters = limitersOfTwo(keys + 1);
        for (int number = 0; number < keys; number++) {
            limiters.tryAcquire(new Colliding(number, callsLeft), 1);
        }
        boolean throwsYet = true;
        for (int call = 1; throwsYet; call++) {
            callsLeft.set(call);
            try {
                limiters.tryAcquire(new Colliding(keys, callsLeft), 1);
                throwsYet = callsLeft.get() <= 0; // or the key has been added without it
            } catch (IllegalStateException onPurpose) {
                assertThat(limiters.keyCount()).as("call %d", call).isEqualTo(keys);
            }
        }
        callsLeft.set(0);
        assertThat(limiters.tryAcquire(new Colliding(keys, callsLeft), 1).isAcquired())
                .isTrue();
    }

    private PartitionedRateLimiter<Object> limitersOfTwo(int maximumKeys) {
        return PartitionedRateLimiter.<Object>builder(key -> Limit.of(2, Duration.ofNanos(10)))
                .maximumKeys(maximumKeys)
                .timeSource(time)
                .build();
    }

    /** Equal to all of its kind; one of the calls of its hashCode does something else besides. */
    private static final class HostileKey {

        private final Runnable besides;
        private int callsLeft;

        HostileKey(int call, Runnable besides) {
            this.callsLeft = call;
            this.besides = besides;
        }

        boolean wasHostile() {
            return callsLeft <= 0;
        }

        @Override
        public int hashCode() {
            if (--callsLeft == 0) {
                besides.run();
            }
            return 7;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof HostileKey;
        }
    }
}
