package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What others may do while a request has entered and not yet taken from all: each test stops one right there. */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AllOfInterleavingsTest {

    private static final Duration MICRO = Duration.ofNanos(1000);

    /** Whoever asks looks at each of the two members that stop it, and before it enters once more. */
    private static final int MOST_ASKED_AT_ONCE = 4;

    /** What happens, in turn, before the first member is taken from. */
    private final Deque<Runnable> meanwhile = new ConcurrentLinkedDeque<>();

    /** What happens, in turn, when the last member is to change, and all others have. */
    private final Deque<Runnable> whileChanging = new ArrayDeque<>();

    private volatile CountDownLatch asked = new CountDownLatch(0);

    @Test
    @DisplayName("a request with room behind one that is under way is granted at once")
    void roomForBoth() {
        PermitPolicy policy = policy(Limit.of(5, MICRO));
        meanwhile.add(() -> assertThat(policy.tryTake(2, 0)).isEqualTo(PermitPolicy.TAKEN));
        assertThat(policy.tryTake(3, 0)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.available(0)).isZero();
    }

    @Test
    @DisplayName("a request refused without counting those under way is refused at once")
    void refusalAtOnce() {
        PermitPolicy policy = policy(Limit.of(5, MICRO));
        policy.tryTake(2, 0);
        meanwhile.add(() -> assertThat(policy.tryTake(4, 0)).isEqualTo(1000));
        meanwhile.add(() -> assertThat(policy.tryTake(4, 1)).isEqualTo(999));
        assertThat(policy.tryTake(1, 0)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(1, 0)).isEqualTo(PermitPolicy.TAKEN);
    }

    @Test
    @DisplayName(
            "the last permits are those of the one that entered first: who wants them, too, asks until it has left")
    void theLastPermits() {
        PermitPolicy policy = policy(Limit.of(5, MICRO));
        var other = meanwhileAsks(policy, 3);
        assertThat(policy.tryTake(3, 0)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(other.join()).isEqualTo(1000);
        assertThat(policy.available(0)).isEqualTo(2);
    }

    @Test
    @DisplayName("the last permits are counted also of a limit that has as many as a number can be")
    void theLastOfTheLargestLimit() {
        PermitPolicy policy = policy(Limit.concurrency(Integer.MAX_VALUE));
        int most = 1_500_000_000;
        var other = meanwhileAsks(policy, most);
        assertThat(policy.tryTake(most, 0)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(other.join()).isEqualTo(PermitPolicy.AWAIT_SIGNAL);
        assertThat(policy.available(0)).isEqualTo(Integer.MAX_VALUE - most);
        policy.release(most, 0);
        assertThat(policy.nanosUntilFull(0)).isZero();
    }

    @Test
    @DisplayName("a limit that counts calls counts calls under way, whatever their permits")
    void calls() {
        PermitPolicy two = policy(Limit.of(2, MICRO).countingCalls());
        meanwhile.add(() -> assertThat(two.tryTake(700, 0)).isEqualTo(PermitPolicy.TAKEN));
        assertThat(two.tryTake(500, 0)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(two.tryTake(1, 0)).isEqualTo(1000);

        PermitPolicy one = policy(Limit.of(1, MICRO).countingCalls());
        var other = meanwhileAsks(one, 1);
        assertThat(one.tryTake(500, 0)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(other.join()).isEqualTo(1000);
    }

    static List<Limit> kinds() {
        return List.of(
                Limit.of(3, MICRO),
                Limit.of(3, MICRO).countingCalls(),
                Limit.slidingWindow(3, MICRO, 4),
                Limit.slidingWindowCounter(3, MICRO),
                Limit.fixedWindow(3, MICRO),
                Limit.tokenBucket(3, 3, MICRO),
                Limit.tokenBucket(3, 3, MICRO).refillingInSteps(),
                Limit.leakyBucket(3, MICRO).withSlack(2));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("a promise is kept where another with a later clock has taken what was due by this one's")
    void laterClock(Limit limit) {
        PermitPolicy policy = policy(limit);
        PermitPolicy inOrder = Limit.allOf(limit).newPolicy(0);
        for (PermitPolicy each : List.of(policy, inOrder)) {
            each.tryTake(1, 0);
            each.tryTake(1, 0);
        }
        meanwhile.add(() -> assertThat(policy.tryTake(1, 1400)).isEqualTo(PermitPolicy.TAKEN));
        assertThat(policy.tryTake(1, 500)).isEqualTo(PermitPolicy.TAKEN);
        inOrder.tryTake(1, 500);
        inOrder.tryTake(1, 1400);
        neverHasMore(policy, inOrder);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("a promise is kept where something was charged: as if that had come after")
    void charge(Limit limit) {
        PermitPolicy policy = policy(limit);
        PermitPolicy inOrder = Limit.allOf(limit).newPolicy(0);
        meanwhile.add(() -> policy.charge(4, 0));
        for (PermitPolicy each : List.of(policy, inOrder)) {
            assertThat(each.tryTake(1, 0)).isEqualTo(PermitPolicy.TAKEN);
        }
        inOrder.charge(4, 0);
        neverHasMore(policy, inOrder);
        assertThat(policy.available(0)).isEqualTo(inOrder.available(0));
    }

    /** And in the end as much. */
    private static void neverHasMore(PermitPolicy policy, PermitPolicy than) {
        for (long now = 1000; now <= 6000; now += 100) {
            assertThat(policy.available(now)).as("at %s", now).isLessThanOrEqualTo(than.available(now));
        }
        assertThat(policy.available(6000)).isEqualTo(than.available(6000));
    }

    @Test
    @DisplayName("a change waits for those who are under way")
    void changeWaits() {
        PermitPolicy policy = policy(Limit.of(1, MICRO));
        CompletableFuture<Void> changed = new CompletableFuture<>();
        CountDownLatch begun = new CountDownLatch(1);
        meanwhile.add(() -> {
            new Thread(() -> {
                        begun.countDown();
                        policy.reconfigure(limit(Limit.of(2, MICRO)), 0);
                        changed.complete(null);
                    })
                    .start();
            await(begun);
            assertThat(policy.capacity()).isEqualTo(1);
        });
        assertThat(policy.tryTake(1, 0)).isEqualTo(PermitPolicy.TAKEN);
        changed.join();
        assertThat(policy.capacity()).isEqualTo(2);
        assertThat(policy.available(0)).isEqualTo(1);
    }

    @Test
    @DisplayName("a request does not enter while a change is under way, which may yet fail")
    void changeThatFails() {
        PermitPolicy policy = policy(Limit.of(1, MICRO));
        policy.tryTake(1, 0);
        CompletableFuture<Long> other = new CompletableFuture<>();
        whileChanging.add(() -> {
            assertThat(policy.available(0)).isEqualTo(8);
            ask(policy, 1, other);
            throw new IllegalArgumentException("not so");
        });
        assertThatIllegalArgumentException().isThrownBy(() -> policy.reconfigure(limit(Limit.of(9, MICRO)), 0));
        assertThat(other.join()).isEqualTo(1000);
        policy.reconfigure(limit(Limit.of(2, MICRO)), 0);
        assertThat(policy.tryTake(1, 0)).isEqualTo(PermitPolicy.TAKEN);
    }

    /** Has another thread ask while the next request is under way. */
    private CompletableFuture<Long> meanwhileAsks(PermitPolicy policy, int permits) {
        CompletableFuture<Long> answer = new CompletableFuture<>();
        meanwhile.add(() -> ask(policy, permits, answer));
        return answer;
    }

    /** Goes on when the other thread has begun to ask again, or has its answer. */
    private void ask(PermitPolicy policy, int permits, CompletableFuture<Long> answer) {
        CountDownLatch again = new CountDownLatch(MOST_ASKED_AT_ONCE + 1);
        asked = again;
        new Thread(() -> {
                    answer.complete(policy.tryTake(permits, 0));
                    while (again.getCount() > 0) {
                        again.countDown();
                    }
                })
                .start();
        await(again);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private PermitPolicy policy(Limit limit) {
        return limit(limit).newPolicy(0);
    }

    private Limit limit(Limit limit) {
        return Limit.allOf(new Stopping(meanwhile), limit, new Stopping(whileChanging));
    }

    /** Has permits for everybody, but before it gives them, or changes, something happens. */
    private final class Stopping implements Limit {

        private final Deque<Runnable> stops;

        Stopping(Deque<Runnable> stops) {
            this.stops = stops;
        }

        @Override
        public int capacity() {
            return Integer.MAX_VALUE;
        }

        @Override
        public PermitPolicy newPolicy(long nowNanos) {
            return new StoppingPolicy(stops);
        }
    }

    private final class StoppingPolicy extends AlwaysGranting implements Foretelling {

        private final Deque<Runnable> stops;

        StoppingPolicy(Deque<Runnable> stops) {
            this.stops = stops;
        }

        private void stop(Deque<Runnable> here) {
            Runnable next = stops == here ? here.poll() : null;
            if (next != null) {
                next.run();
            }
        }

        @Override
        public long tryTake(int permits, long nowNanos) {
            stop(meanwhile);
            return TAKEN;
        }

        @Override
        public void reconfigure(Limit limit, long nowNanos) {
            stop(whileChanging);
        }

        @Override
        public long nanosUntilOneByOne(long permits, long nowNanos) {
            return nanosUntil(permits - 1, 1, nowNanos);
        }

        @Override
        public long nanosUntil(long ahead, int permits, long nowNanos) {
            asked.countDown();
            return 0;
        }

        @Override
        public void giveBack(int permits, long takenAtNanos, long nowNanos) {
            throw new AssertionError("given back");
        }
    }
}
