package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.PermitListener;
import dev.weir.PermitRequest;
import dev.weir.RateLimiter;
import dev.weir.RateLimiterStatistics;
import dev.weir.RefusalReason;
import dev.weir.limit.Limit;
import dev.weir.stream.OnRefused;
import dev.weir.stream.StreamOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A limiter of somebody else that breaks the rules, also by checked exceptions: what it gates ends with that, and never hangs. */
class BrokenAnswersTest {

    private enum Gated {
        ELEMENTS,
        ELEMENTS_WITH_KEYS,
        CALL
    }

    private enum When {
        AT_ONCE,
        AFTER_A_WAIT
    }

    private final IOException broken = new IOException("on purpose");
    private final Foreign limiter = new Foreign();
    private final Queue<Runnable> line = new ArrayDeque<>();
    private final List<String> heard = new ArrayList<>();
    private @Nullable Throwable error;
    private int givenBack;
    private StreamOptions options =
            StreamOptions.defaults().buffer(4).onDropped(element -> heard.add("dropped " + element));

    static Stream<Arguments> cases() {
        return Stream.of(Gated.values())
                .flatMap(gated -> Stream.of(When.values()).map(when -> Arguments.of(gated, when)));
    }

    static Stream<Arguments> unreadableRefusals() {
        return cases().flatMap(given -> Stream.of("name", "reason", "retryAfter", "permits", "cause")
                .map(method -> Arguments.of(given.get()[0], given.get()[1], method)));
    }

    static Stream<Arguments> wrongNumbers() {
        return cases().flatMap(
                        given -> Stream.of(0, 2, -1).map(told -> Arguments.of(given.get()[0], given.get()[1], told)));
    }

    @ParameterizedTest
    @MethodSource("unreadableRefusals")
    @DisplayName("a refusal of which no exception can be made")
    void unreadableRefusal(Gated gated, When when, String method) {
        limiter.throwsAt = method;
        ends(gated, when, new Answer(false, method));
        assertThat(error).isSameAs(broken);
    }

    @ParameterizedTest
    @MethodSource("cases")
    @DisplayName(
            "a refusal without a reason where refused elements are dropped: nothing tells whether the limiter is closed")
    void unreadableRefusalIsNotDropped(Gated gated, When when) {
        options = options.onRefused(OnRefused.DROP);
        ends(gated, when, new Answer(false, "reason"));
        assertThat(error).isSameAs(broken);
    }

    @ParameterizedTest
    @MethodSource("cases")
    @DisplayName("a grant that does not tell what it is: it goes back")
    void unreadableGrant(Gated gated, When when) {
        ends(gated, when, new Answer(true, "isAcquired"));
        assertThat(error).isSameAs(broken);
        assertThat(givenBack).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("cases")
    @DisplayName("a grant that does not tell how many permits it is for: nobody asks, as it is for those requested")
    void grantWithoutANumber(Gated gated, When when) {
        goesOnce(gated, when, new Answer(true, "permits"));
    }

    @ParameterizedTest
    @MethodSource("wrongNumbers")
    @DisplayName("a grant that tells another number of permits than were requested: it is for those requested")
    void grantOfAnotherNumber(Gated gated, When when, int told) {
        Answer grant = new Answer(true, "");
        grant.permits = told;
        goesOnce(gated, when, grant);
    }

    private void goesOnce(Gated gated, When when, Answer grant) {
        Runnable unused = answered(gated, when, grant);
        assertThat(heard).containsExactly("begun");
        assertThat(limiter.asked).isOne();
        assertThat(grant.settled).isFalse();
        assertThat(givenBack).isZero();
    }

    @ParameterizedTest
    @MethodSource("cases")
    @DisplayName("no lease where there should be one")
    void noLease(Gated gated, When when) {
        ends(gated, when, null);
        assertThat(error).isInstanceOf(NullPointerException.class).hasMessage("lease, from limiter 'foreign'");
    }

    @ParameterizedTest
    @MethodSource("cases")
    @DisplayName("no lease, from a limiter that cannot tell its name")
    void noLeaseAndNoName(Gated gated, When when) {
        limiter.throwsAt = "name";
        ends(gated, when, null);
        assertThat(error).isInstanceOf(NullPointerException.class).hasMessage("lease");
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("no request, and no answer yet: one that comes later goes back")
    void noRequest(Gated gated) {
        limiter.request = null;
        begin(gated);
        assertEnded(gated);
        assertThat(error).isInstanceOf(NullPointerException.class).hasMessage("request, from limiter 'foreign'");
        limiter.answer(new Answer(true, ""));
        assertEnded(gated);
        assertThat(givenBack).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("no request, but an answer: nobody needs the request")
    void answeredWithoutRequest(Gated gated) {
        limiter.request = null;
        limiter.onAsked = () -> limiter.answer(new Answer(true, ""));
        begin(gated);
        assertThat(heard).containsExactly("begun");
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a limiter that throws when it is asked")
    void throwsAtTheRequest(Gated gated) {
        limiter.throwsAt = "acquire";
        begin(gated);
        assertEnded(gated);
        assertThat(error).isSameAs(broken);
    }

    @ParameterizedTest
    @EnumSource(names = "CALL", mode = EnumSource.Mode.EXCLUDE)
    @DisplayName("a limiter that throws when it is asked for what is there at once")
    void throwsWithoutARequest(Gated gated) {
        limiter.throwsAt = "tryConsume";
        begin(gated);
        assertEnded(gated);
        assertThat(error).isSameAs(broken);
    }

    @ParameterizedTest
    @MethodSource("cases")
    @DisplayName("a lease that throws when it is closed: downstream hears of it, or the hook for late errors")
    void throwsAtClosing(Gated gated, When when) {
        answered(gated, when, new Answer(true, "close")).run();
        assertThat(error).isSameAs(broken);
        assertThat(heard).containsExactly("begun", gated == Gated.CALL ? "late" : "error");
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a request that throws when it is cancelled: the hook for late errors hears of it")
    void throwsAtCancelling(Gated gated) {
        limiter.throwsAt = "cancel";
        begin(gated).run();
        assertThat(error).isSameAs(broken);
        assertThat(heard).last().isEqualTo("late");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("the same at once, for an element that finds the room full of others")
    void inAFullRoom(boolean isGiven) {
        limiter.atOnce = isGiven ? new Answer(true, "isAcquired") : null;
        ElementGate<Integer> gate = new ElementGate<>(
                GatePlan.perKey(key -> limiter, element -> element, options.buffer(1)), stream, line::add);
        gate.start();
        gate.request(Long.MAX_VALUE);
        gate.offer(1);
        gate.offer(2);
        runAll();
        assertThat(heard).contains("error");
        assertThat(error).isInstanceOf(isGiven ? IOException.class : NullPointerException.class);
        assertThat(givenBack).isEqualTo(isGiven ? 1 : 0);
    }

    private void ends(Gated gated, When when, @Nullable Lease answer) {
        Runnable unused = answered(gated, when, answer);
        assertEnded(gated);
    }

    private Runnable answered(Gated gated, When when, @Nullable Lease answer) {
        if (when == When.AT_ONCE) {
            limiter.onAsked = () -> {
                limiter.onAsked = () -> {};
                limiter.answer(answer);
            };
        }
        Runnable end = begin(gated);
        if (when == When.AFTER_A_WAIT) {
            limiter.answer(answer);
        }
        runAll();
        return end;
    }

    private void runAll() {
        for (Runnable task; (task = line.poll()) != null; ) {
            task.run();
        }
    }

    private void assertEnded(Gated gated) {
        runAll();
        assertThat(heard).isEqualTo(gated == Gated.CALL ? List.of("error") : List.of("dropped 1", "error"));
    }

    /** Begins, with one element if it is a stream. Returns what cancels. */
    private Runnable begin(Gated gated) {
        if (gated == Gated.CALL) {
            CallGate<Integer, String> gate = new CallGate<>(limiter, 1, options, line::add, call);
            gate.enter();
            return gate::cancel;
        }
        LimiterPlan<Integer> plan = gated == Gated.ELEMENTS
                ? GatePlan.of(limiter, options)
                : GatePlan.perKey(key -> limiter, element -> "key", options);
        ElementGate<Integer> gate = new ElementGate<>(plan, stream, line::add);
        gate.start();
        gate.request(Long.MAX_VALUE);
        gate.offer(1);
        return gate::cancel;
    }

    private void hear(String what, Throwable told) {
        heard.add(what);
        error = told;
    }

    @SuppressWarnings("unchecked") // unchecked only by the compiler, as in languages that have no checked exceptions
    private static <E extends Throwable> void throwUnchecked(Throwable thrown) throws E {
        throw (E) thrown;
    }

    private void breakIf(String method, String throwsAt) {
        if (method.equals(throwsAt)) {
            BrokenAnswersTest.<RuntimeException>throwUnchecked(broken);
        }
    }

    private final GatedCall<Integer, String> call = new QuietCall<>() {

        @Override
        public void subscribe(Lease lease) {
            heard.add("begun");
        }

        @Override
        public void error(Throwable told) {
            hear("error", told);
        }

        @Override
        public void complete() {
            heard.add("skipped");
        }

        @Override
        public void errorDropped(Throwable told) {
            hear("late", told);
        }
    };

    private final TestStream stream = new TestStream() {

        @Override
        public boolean next(Integer element) {
            heard.add("begun");
            return true;
        }

        @Override
        public void requestFromSource(long elements) {}

        @Override
        public void discard(Integer element) {}

        @Override
        public void error(Throwable told) {
            hear("error", told);
        }

        @Override
        public void errorDropped(Throwable told) {
            hear("late", told);
        }
    };

    private final class Answer implements Lease {

        private final boolean acquired;
        private final String throwsAt;
        private int permits = 1;
        private boolean settled;

        Answer(boolean acquired, String throwsAt) {
            this.acquired = acquired;
            this.throwsAt = throwsAt;
        }

        @Override
        public boolean isAcquired() {
            breakIf("isAcquired", throwsAt);
            return acquired;
        }

        @Override
        public int permits() {
            breakIf("permits", throwsAt);
            return permits;
        }

        @Override
        public Optional<RefusalReason> reason() {
            breakIf("reason", throwsAt);
            return acquired ? Optional.empty() : Optional.of(RefusalReason.EXHAUSTED);
        }

        @Override
        public Optional<Duration> retryAfter() {
            breakIf("retryAfter", throwsAt);
            return Optional.empty();
        }

        @Override
        public Optional<Throwable> cause() {
            breakIf("cause", throwsAt);
            return Optional.empty();
        }

        @Override
        public void settle(int actualPermits) {
            settled = true;
        }

        @Override
        public void close() {
            breakIf("close", throwsAt);
        }

        @Override
        public void giveBack() {
            givenBack++;
        }
    }

    /** Answers when it is told to. */
    private final class Foreign implements RateLimiter {

        private String throwsAt = "";
        private int asked;
        private Runnable onAsked = () -> {};
        private @Nullable PermitListener asking;
        private @Nullable Lease atOnce;

        private @Nullable PermitRequest request = new PermitRequest() {

            @Override
            public boolean cancel() {
                breakIf("cancel", throwsAt);
                return true;
            }

            @Override
            public boolean isSettled() {
                return false;
            }
        };

        @SuppressWarnings("NullAway") // what the rules forbid
        void answer(@Nullable Lease lease) {
            Objects.requireNonNull(asking).onLease(lease);
        }

        @Override
        @SuppressWarnings("NullAway") // what the rules forbid
        public PermitRequest acquire(int permits, PermitListener listener) {
            breakIf("acquire", throwsAt);
            asked++;
            asking = listener;
            onAsked.run();
            return request;
        }

        @Override
        public boolean tryConsume(int permits) {
            breakIf("tryConsume", throwsAt);
            return false;
        }

        @Override
        public String name() {
            breakIf("name", throwsAt);
            return "foreign";
        }

        @Override
        public Limit limit() {
            return Limit.unlimited();
        }

        @Override
        public long availablePermits() {
            return 1;
        }

        @Override
        @SuppressWarnings("NullAway") // what the rules forbid
        public Lease tryAcquire(int permits) {
            return atOnce;
        }

        @Override
        public CompletableFuture<Lease> acquire(int permits) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void charge(int permits) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void pauseFor(Duration duration) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void reconfigure(Limit limit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public RateLimiterStatistics statistics() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<Duration> idleDuration() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }
}
