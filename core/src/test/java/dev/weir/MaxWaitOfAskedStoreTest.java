package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bounded waits that begin while a store is being asked: how long they take is known when it has answered. */
class MaxWaitOfAskedStoreTest {

    private static final Limit LIMIT = Limit.fixedWindow(9, Duration.ofHours(1));
    private static final Duration PERIOD = Duration.ofMillis(400);
    private static final Duration BOUND = Duration.ofMillis(1_300);

    private final SteppedTime time = new SteppedTime(-7);
    private final Asked store = new Asked();
    private final List<String> answers = new ArrayList<>();
    private int named;

    private RateLimiter.Builder builder() {
        return RateLimiter.builder(LIMIT).policies((limit, key, now) -> store).timeSource(time);
    }

    private RateLimiter ofOneKey() {
        return PartitionedRateLimiter.<Integer>builder(key -> LIMIT)
                .policies((limit, key, now) -> store)
                .maxWait(BOUND)
                .timeSource(time)
                .build()
                .forKey(1);
    }

    private RateLimiter chained(RateLimiter limiter) {
        return RateLimiter.chain(
                RateLimiter.builder(Limit.unlimited()).timeSource(time).build(), limiter);
    }

    private PermitRequest ask(RateLimiter limiter, int permits, @Nullable Duration bound) {
        String name = String.valueOf(named++);
        PermitListener listener = lease ->
                answers.add(name + lease.reason().map(reason -> " " + reason).orElse(""));
        return bound == null ? limiter.acquire(permits, listener) : limiter.acquire(permits, bound, listener);
    }

    private void ask(RateLimiter limiter, int requests) {
        IntStream.range(0, requests).forEach(i -> ask(limiter, 1, BOUND));
    }

    private static String[] refused(int... requests) {
        return IntStream.of(requests).mapToObj(i -> i + " MAX_WAIT").toArray(String[]::new);
    }

    @Test
    @DisplayName("who came meanwhile is refused by the answer, and served else, as by a limiter in one JVM")
    void refusedByTheAnswer() {
        List<Supplier<RateLimiter>> limiters =
                List.of(() -> builder().build(), () -> builder().maxWait(BOUND).build(), this::ofOneKey);
        for (Supplier<RateLimiter> made : limiters) {
            RateLimiter limiter = made.get();
            store.isAnswered = false;
            ask(limiter, 8);
            assertThat(answers).isEmpty();
            store.answer();
            assertThat(answers).containsExactly(refused(3, 4, 5, 6, 7));
            time.advanceBy(BOUND);
            assertThat(answers).endsWith("0", "1", "2").hasSize(8);
            limiter.close();
            answers.clear();
            named = 0;
        }
    }

    @Test
    @DisplayName("who is refused by the answer keeps nobody behind from being served in time")
    void behindWhoIsRefused() {
        RateLimiter limiter = builder().build();
        ask(limiter, 1, null);
        ask(limiter, 8, BOUND);
        ask(limiter, 2, BOUND);
        ask(limiter, 1, PERIOD);
        ask(limiter, 1, null);
        store.answer();
        assertThat(answers).containsExactly(refused(1, 3));
        time.advanceBy(PERIOD.multipliedBy(3));
        assertThat(answers).endsWith("0", "2");
    }

    @Test
    @DisplayName("nor does who must not be delayed")
    void behindWhoMustNotBeDelayed() {
        RateLimiter limiter = builder().build();
        ask(limiter, 1, Duration.ZERO);
        ask(limiter, 1, Duration.ZERO);
        ask(limiter, 1, PERIOD);
        ask(limiter, 1, PERIOD);
        ask(limiter, 1, Duration.ZERO);
        store.answer();
        assertThat(answers).containsExactlyInAnyOrder("0 EXHAUSTED", "1 EXHAUSTED", "3 MAX_WAIT", "4 EXHAUSTED");
        time.advanceBy(PERIOD);
        assertThat(answers).endsWith("2");
    }

    @Test
    @DisplayName("an answer that comes just as a request is let in refuses it, too")
    void justAsItIsLetIn() {
        RateLimiter limiter = builder().build();
        ask(limiter, 1);
        store.whenJudged = store::answer;
        ask(limiter, 1, PERIOD);
        assertThat(answers).containsExactly(refused(1));
    }

    @Test
    @DisplayName("an answer that was known when a request came does not judge it again")
    void judgedOnce() {
        RateLimiter limiter = builder().build();
        ask(limiter, 100);
        store.answer();
        assertThat(answers).hasSize(97);
        store.judged = 0;
        ask(limiter, 1, BOUND.multipliedBy(2));
        for (int i = 0; i < 10; i++) {
            store.answer();
        }
        assertThat(store.judged).isOne();
    }

    @Test
    @DisplayName("newest first, the answer judges each as if it were first")
    void newestFirst() {
        RateLimiter limiter = builder().queueOrder(QueueOrder.NEWEST_FIRST).build();
        ask(limiter, 1, PERIOD.minusNanos(1));
        ask(limiter, 1, PERIOD);
        ask(limiter, 1, BOUND);
        store.answer();
        assertThat(answers).containsExactly(refused(0));
        time.advanceBy(PERIOD);
        assertThat(answers).endsWith("2", "1 MAX_WAIT");
    }

    @Test
    @DisplayName("those ahead of a chain's request may move on, so only the limiter's own bound counts them")
    void ofAChain() {
        RateLimiter unbounded = builder().build();
        IntStream.range(0, 5).forEach(i -> ask(chained(unbounded), 1, BOUND));
        ask(chained(unbounded), 1, PERIOD.minusNanos(1));
        store.answer();
        assertThat(answers).containsExactly(refused(5));

        answers.clear();
        store.isAnswered = false;
        RateLimiter bounded = builder().maxWait(BOUND).build();
        IntStream.range(0, 5).forEach(i -> ask(chained(bounded), 1, BOUND.plusNanos(1)));
        store.answer();
        assertThat(answers).containsExactly(refused(9, 10));
    }

    @Test
    @DisplayName("a store that cannot say how long it takes refuses nobody before the bound")
    void notKnown() {
        store.periodNanos = 0;
        RateLimiter limiter = builder().build();
        ask(limiter, 8);
        store.answer();
        time.advanceBy(BOUND.minusNanos(1));
        assertThat(answers).isEmpty();
        time.advanceBy(1);
        assertThat(answers).hasSize(8).allMatch(answer -> answer.endsWith("MAX_WAIT"));
    }

    @Test
    @DisplayName("a policy that fails to say how long a request has to wait fails that request alone")
    void broken() {
        RateLimiter limiter = builder().build();
        ask(limiter, 2);
        store.isBroken = true;
        store.answer();
        assertThat(answers).containsExactly("1 BACKEND_UNAVAILABLE");
        store.isBroken = false;
        time.advanceBy(PERIOD);
        assertThat(answers).hasSize(2).endsWith("0");
    }

    @ParameterizedTest
    @EnumSource(QueueOrder.class)
    @DisplayName("whatever came while it was asked, the answer refuses the same as an earlier one would have")
    void asIfKnownBefore(QueueOrder order) {
        for (long seed = 1; seed <= 500; seed++) {
            List<String> before = decided(order, seed, true);
            assertThat(decided(order, seed, false)).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(before);
        }
    }

    /** Returns who is refused though there is time left, for a store that answers before or after all have come. */
    private List<String> decided(QueueOrder order, long seed, boolean isKnownBefore) {
        Random random = new Random(seed);
        answers.clear();
        named = 0;
        store.isAnswered = false;
        RateLimiter limiter = builder().queueOrder(order).build();
        PermitRequest first = ask(limiter, 1, null);
        if (isKnownBefore) {
            store.answer();
        }
        for (int i = random.nextInt(20); i > 0; i--) {
            boolean isBounded = random.nextInt(4) > 0;
            PermitRequest unused =
                    ask(limiter, 1 + random.nextInt(3), isBounded ? PERIOD.multipliedBy(1 + random.nextInt(9)) : null);
        }
        assertThat(first.isSettled()).isFalse();
        store.answer();
        List<String> refused = List.copyOf(answers);
        limiter.close();
        return refused;
    }

    /** From its answer on, each permit comes a period after the one before. */
    private final class Asked extends StatelessPolicy {

        private boolean isAnswered;
        private boolean isBroken;
        private long periodNanos = PERIOD.toNanos();
        private long nextNanos;
        private int judged;
        private Runnable whenJudged = () -> {};
        private @Nullable Runnable drain;

        void answer() {
            if (!isAnswered) {
                isAnswered = true;
                nextNanos = time.nanoTime() + periodNanos;
            }
            Objects.requireNonNull(drain).run();
        }

        @Override
        public void signalTo(Runnable toCall) {
            drain = toCall;
        }

        @Override
        public long tryTake(int permits, long nowNanos) {
            long wait = nextNanos + (permits - 1) * periodNanos - nowNanos;
            if (!isAnswered || periodNanos == 0) {
                return AWAIT_SIGNAL;
            }
            nextNanos += wait > 0 ? 0 : permits * periodNanos;
            return Math.max(TAKEN, wait);
        }

        @Override
        public long nanosUntil(long ahead, int permits, long nowNanos) {
            return isAnswered ? nextNanos + (ahead + permits - 1) * periodNanos - nowNanos : AWAIT_SIGNAL;
        }

        @Override
        public long nanosAtLeast(long requestsAhead, long ahead, int permits, long nowNanos) {
            judged++;
            if (isBroken) {
                throw new IllegalStateException("on purpose");
            }
            long least = isAnswered && periodNanos > 0 ? nanosUntil(ahead, permits, nowNanos) : 0;
            whenJudged.run();
            return least;
        }

        @Override
        public long nanosUntilDecided(int permits, long nowNanos) {
            return isAnswered ? 0 : Duration.ofHours(1).toNanos();
        }

        @Override
        public long available(long nowNanos) {
            return 0;
        }
    }
}
