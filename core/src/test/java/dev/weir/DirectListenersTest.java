package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who sees to recursion, or waits for the answer, hears it before the request returns, wherever that is made. */
class DirectListenersTest {

    private final RateLimiter limiter = RateLimiter.of(Limit.concurrency(100));
    private final List<String> told = new ArrayList<>();

    private void note(String what) {
        told.add(what);
    }

    @Test
    @DisplayName("a listener finds the futures and gates complete that it asks for, where permits are there")
    void withinAListener() {
        limiter.acquire(1, lease -> {
            assertThat(limiter.acquire(1)).isCompleted();
            try (RateGate gate = new RateGate(limiter)) {
                gate.waitToProceed();
            } catch (InterruptedException unexpected) {
                throw new AssertionError(unexpected);
            }
            limiter.executor(Runnable::run).execute(() -> note("task"));
            PermitListener.Direct direct = here -> note("direct");
            limiter.acquire(1, direct);
            note("listener");
        });
        assertThat(told).containsExactly("task", "direct", "listener");
    }

    @Test
    @DisplayName("a direct listener's requests are told at once, and what those led to after them")
    void withinADirectListener() {
        PermitListener.Direct direct = lease -> {
            limiter.acquire(1, first -> {
                limiter.acquire(1, second -> note("second"));
                note("first");
            });
            note("direct");
        };
        limiter.acquire(1, direct);
        assertThat(told).containsExactly("first", "second", "direct");
        told.clear();
        limiter.acquire(1, listener -> {
            limiter.acquire(1, direct);
            note("listener");
        });
        assertThat(told).as("which had not to wait").containsExactly("direct", "listener", "first", "second");
        told.clear();
        Lease all = limiter.tryAcquire((int) limiter.availablePermits());
        limiter.acquire(1, direct);
        limiter.acquire(1, last -> note("last"));
        all.close();
        assertThat(told).as("which had to wait").containsExactly("first", "last", "second", "direct");
    }

    @Test
    @DisplayName("a request that a direct listener releases is told before that listener goes on")
    void whatADirectListenerReleases() {
        RateLimiter other = RateLimiter.of(Limit.concurrency(1));
        Lease held = other.tryAcquire();
        other.acquire(1, lease -> {
            limiter.acquire(1, later -> note("later"));
            note("released");
        });
        Lease all = limiter.tryAcquire(100);
        PermitListener.Direct direct = lease -> {
            held.close();
            note("direct");
        };
        limiter.acquire(1, direct);
        limiter.acquire(1, last -> note("last"));
        all.close();
        assertThat(told).containsExactly("last", "released", "later", "direct");
        told.clear();
        limiter.acquire(1, listener -> {
            limiter.acquire(1, lease -> note("asked for"));
            note("listener");
        });
        assertThat(told).as("afterwards").containsExactly("listener", "asked for");
    }

    @Test
    @DisplayName("a request that a listener within a direct one releases is told at once, too")
    void whatAListenerWithinReleases() {
        RateLimiter other = RateLimiter.of(Limit.concurrency(1));
        Lease held = other.tryAcquire();
        other.acquire(1, lease -> note("released"));
        Lease all = limiter.tryAcquire(100);
        PermitListener.Direct direct = lease -> {
            RateLimiter.of(Limit.unlimited()).acquire(1, within -> held.close());
            note("direct");
        };
        limiter.acquire(1, direct);
        all.close();
        assertThat(told).containsExactly("released", "direct");
    }

    @Test
    @DisplayName("a request that a stage of a waiting future releases is told at once, too")
    void whatAStageReleases() {
        RateLimiter one = RateLimiter.of(Limit.concurrency(1));
        Lease held = one.tryAcquire();
        CompletableFuture<Lease> first = one.acquire();
        CompletableFuture<Lease> second = one.acquire();
        CompletableFuture<Boolean> isTold = first.thenApply(lease -> {
            lease.close();
            return second.isDone();
        });
        held.close();
        assertThat(isTold).isCompletedWithValue(true);
    }

    @Test
    @DisplayName("direct listeners that release each other need no stack")
    void thatReleaseEachOther() {
        RateLimiter one = RateLimiter.of(Limit.concurrency(1));
        Lease held = one.tryAcquire();
        int[] granted = {0};
        PermitListener.Direct releasing = lease -> {
            granted[0] += lease.permits();
            lease.close();
        };
        for (int i = 0; i < 100_000; i++) {
            one.acquire(1, releasing);
        }
        held.close();
        assertThat(granted[0]).isEqualTo(100_000);
    }

    @Test
    @DisplayName("tasks that ask again on the thread that is there need no stack either")
    void tasksThatAskAgain() {
        int[] rounds = {0};
        PermitListener again = new PermitListener() {
            @Override
            public void onLease(Lease lease) {
                lease.close();
                if (++rounds[0] < 100_000) {
                    limiter.executor(Runnable::run).execute(() -> limiter.acquire(1, this));
                }
            }
        };
        limiter.acquire(1, again);
        assertThat(rounds[0]).isEqualTo(100_000);
    }

    @Test
    @DisplayName(
            "an observer hears of an answer right before the listener does, also where that one waits for its turn")
    void observed() {
        RateLimiter watched = RateLimiter.builder(Limit.concurrency(100))
                .observer(new RateLimiterObserver() {
                    @Override
                    public void onAcquired(int permits, long waitedNanos) {
                        note("observed " + permits);
                    }

                    @Override
                    public void onRefused(int permits, RefusalReason reason) {
                        note("refused " + permits);
                    }
                })
                .maxWait(Duration.ZERO)
                .build();
        watched.acquire(1, lease -> {
            watched.acquire(2, second -> note("second"));
            watched.acquire(98, tooMany -> note("third"));
            note("first");
        });
        assertThat(told).containsExactly("observed 1", "first", "observed 2", "second", "refused 98", "third");
    }
}
