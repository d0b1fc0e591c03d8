package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Lease;
import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimitExceededException;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/** What Reactor expects of its operators: hooks, context, attributes, rejected tasks. */
class HooksTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    /** No machine is so slow; only a test that fails waits as long. */
    private static final Duration LONGEST = Duration.ofSeconds(20);

    private static final StreamOptions HERE = StreamOptions.defaults().emitOn(Runnable::run);

    private final RuntimeException broken = new IllegalStateException("broken");

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final Queue<Object> nextDropped = new ConcurrentLinkedQueue<>();
    private final Queue<Throwable> errorDropped = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void hook() {
        Hooks.onNextDropped(nextDropped::add);
        Hooks.onErrorDropped(errorDropped::add);
    }

    @AfterEach
    void unhook() {
        Hooks.resetOnNextDropped();
        Hooks.resetOnErrorDropped();
        Hooks.resetOnOperatorDebug();
        Hooks.resetOnOperatorError();
        Hooks.resetOnEachOperator();
    }

    private <T> Ledger<T> subscribe(Flux<T> source, RateLimiter limiter, StreamOptions options, long demand) {
        Ledger<T> ledger = new Ledger<>(demand);
        source.transform(RateLimit.with(limiter, ledger.options(options))).subscribe(ledger);
        return ledger;
    }

    @Test
    @DisplayName("signals after the end of the source go to the dropped hooks, and nowhere else")
    void lateSignals() {
        ManualSource<Integer> source = new ManualSource<>();
        Ledger<Integer> ledger = subscribe(source, Ledger.limiter(time, 1, SECOND), HERE, Long.MAX_VALUE);
        source.complete();
        source.next(1);
        source.fail(new IllegalStateException("late"));
        source.complete();
        assertThat(ledger.completed).isTrue();
        assertThat(nextDropped).containsExactly(1);
        assertThat(errorDropped)
                .singleElement()
                .satisfies(error -> assertThat(error).hasMessage("late"));
        assertThat(ledger.dropped()).isEmpty();
        assertThat(ledger.discarded()).isEmpty();
    }

    @Test
    @DisplayName("an error after cancel goes to onErrorDropped")
    void errorAfterCancel() {
        ManualSource<Integer> source = new ManualSource<>();
        subscribe(source, Ledger.limiter(time, 1, SECOND), HERE, Long.MAX_VALUE).cancel();
        source.fail(new IllegalStateException("late"));
        assertThat(errorDropped).hasSize(1);
    }

    @Test
    @DisplayName("so does that of a gated call")
    void errorOfACallAfterCancel() {
        ManualSource<Integer> source = new ManualSource<>();
        Ledger<Integer> ledger = new Ledger<>(Long.MAX_VALUE);
        source.transform(RateLimit.perSubscription(Ledger.limiter(time, 1, SECOND), HERE))
                .subscribe(ledger);
        source.next(1);
        ledger.cancel();
        source.fail(new IllegalStateException("late"));
        assertThat(ledger.error).isNull();
        assertThat(errorDropped).hasSize(1);
    }

    @Test
    @DisplayName("late elements of a gated call: after its end to onNextDropped, after cancel to the discard hook")
    void elementsOfACallThatComeLate() {
        for (boolean ends : new boolean[] {true, false}) {
            ManualSource<Integer> source = new ManualSource<>();
            Ledger<Integer> ledger = new Ledger<>(Long.MAX_VALUE);
            source.transform(RateLimit.perSubscription(RateLimiter.of(Limit.unlimited()), HERE))
                    .subscribe(ledger);
            source.next(1);
            if (ends) {
                source.complete();
            }
            ledger.cancel();
            source.next(2);
            assertThat(ledger.received()).containsExactly(1);
            assertThat(ledger.discarded()).isEqualTo(ends ? List.of() : List.of(2));
            assertThat(nextDropped).containsExactlyElementsOf(ends ? List.of(2) : List.of());
            nextDropped.clear();
        }
    }

    @Test
    @DisplayName("an error that is held behind elements when downstream cancels is told to nobody, as with publishOn")
    void heldErrorAtCancel() {
        RateLimiter none = Ledger.exhausted(time, 1, SECOND);
        List<UnaryOperator<Flux<Integer>>> operators = List.of(
                flux -> flux.transform(RateLimit.with(none, HERE)), flux -> flux.publishOn(Schedulers.immediate()));
        for (UnaryOperator<Flux<Integer>> operator : operators) {
            ManualSource<Integer> source = new ManualSource<>();
            Ledger<Integer> ledger = new Ledger<>(0);
            operator.apply(source).subscribe(ledger);
            source.next(1);
            source.fail(new IllegalStateException("held"));
            ledger.cancel();
            assertThat(ledger.discarded()).containsExactly(1);
            assertThat(ledger.error).isNull();
            assertThat(errorDropped).isEmpty();
        }
    }

    @Test
    @DisplayName("§2.12: a second onSubscribe is cancelled and the first goes on")
    void secondOnSubscribe() {
        ManualSource<Integer> source = new ManualSource<>();
        ManualSource<Integer> second = new ManualSource<>();
        Ledger<Integer> ledger = subscribe(source, Ledger.limiter(time, 1, SECOND), HERE, Long.MAX_VALUE);
        source.subscriber.onSubscribe(second);
        assertThat(second.cancelled).isTrue();
        assertThat(source.cancelled).isFalse();
        source.next(1);
        assertThat(ledger.received()).containsExactly(1);
    }

    static Stream<Throwable> rejections() {
        return Stream.of(
                new RejectedExecutionException("no more"),
                new IllegalStateException("closed"),
                new OutOfMemoryError("no more threads"));
    }

    private static RuntimeException unchecked(Throwable rejection) {
        if (rejection instanceof Error error) {
            throw error;
        }
        return (RuntimeException) rejection;
    }

    private static StreamOptions rejecting(Throwable rejection) {
        return StreamOptions.defaults().emitOn(task -> {
            throw unchecked(rejection);
        });
    }

    @Test
    @DisplayName("a refusal says at which checkpoint it came by, as other errors do")
    void checkpoint() {
        RateLimiter limiter = Ledger.exhausted(time, 1, SECOND);
        StreamOptions now = HERE.maxWait(Duration.ZERO);
        List<Publisher<Integer>> refused = List.of(
                Flux.just(1).transform(RateLimit.with(limiter, now)).checkpoint("here"),
                Mono.just(1).transform(RateLimit.with(limiter, now)).checkpoint("here"));
        for (Publisher<Integer> stream : refused) {
            Ledger<Integer> ledger = Ledger.unbounded();
            stream.subscribe(ledger);
            assertThat(ledger.error)
                    .isInstanceOf(RateLimitExceededException.class)
                    .satisfies(error -> assertThat(error.getSuppressed())
                            .singleElement()
                            .asString()
                            .contains("here"));
        }
    }

    @ParameterizedTest
    @MethodSource("rejections")
    @DisplayName(
            "an executor that takes no more tasks, however it says so, fails the stream, and what is held is discarded")
    void rejectedByTheExecutor(Throwable rejection) {
        ManualSource<Integer> source = new ManualSource<>();
        RateLimiter limiter = Ledger.exhausted(time, 1, SECOND);
        Ledger<Integer> ledger = subscribe(source, limiter, rejecting(rejection).buffer(4), Long.MAX_VALUE);
        source.next(1);
        source.next(2);
        time.advanceBy(SECOND);
        assertThat(ledger.error).isInstanceOf(RejectedExecutionException.class).hasRootCause(rejection);
        assertThat(ledger.discarded()).containsExactly(1, 2);
        assertThat(source.cancelled).isTrue();
        assertThat(limiter.availablePermits()).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("rejections")
    @DisplayName(
            "an executor that takes no more tasks fails a call before it begins, and its permit of concurrency is back")
    void callRejectedByTheExecutor(Throwable rejection) {
        RateLimiter limiter = RateLimiter.of(Limit.concurrency(1));
        Lease out = limiter.tryAcquire();
        Ledger<Integer> ledger = Ledger.unbounded();
        AtomicInteger begun = new AtomicInteger();
        Mono.fromCallable(begun::incrementAndGet)
                .transform(RateLimit.perSubscription(limiter, rejecting(rejection)))
                .subscribe(ledger);
        out.close();
        assertThat(ledger.error).isInstanceOf(RejectedExecutionException.class).hasRootCause(rejection);
        assertThat(begun).hasValue(0);
        assertThat(limiter.availablePermits()).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("rejections")
    @DisplayName("an executor that fails when a stream would stand in line: it goes on without, to the last element")
    void rejectedWhenInLine(Throwable rejection) {
        RateLimiter limiter = Ledger.exhausted(time, 4, SECOND);
        AtomicInteger tasks = new AtomicInteger();
        StreamOptions once = StreamOptions.defaults().emitOn(task -> {
            if (tasks.getAndIncrement() % 2 == 1) {
                throw unchecked(rejection);
            }
            task.run();
        });
        Ledger<Integer> ledger = subscribe(Flux.range(0, 4), limiter, once, Long.MAX_VALUE);
        time.advanceBy(SECOND);
        assertThat(ledger.received()).containsExactly(0, 1, 2, 3);
        assertThat(ledger.completed).isTrue();
    }

    @Test
    @DisplayName("a timer that takes no more tasks fails the stream instead of letting it hang, calls too")
    void rejectedByTheTimer() {
        Scheduler gone = Schedulers.newSingle("gone");
        RateLimiter limiter = RateLimiter.builder(Limit.of(1, SECOND))
                .timeSource(ReactorTime.of(gone))
                .build();
        gone.dispose();
        Ledger<Integer> ledger = subscribe(Flux.range(1, 2), limiter, HERE, Long.MAX_VALUE);
        assertThat(ledger.received()).containsExactly(1);
        assertThat(ledger.error).isInstanceOf(RejectedExecutionException.class);
        assertThat(ledger.discarded()).containsExactly(2);
        Ledger<Integer> call = Ledger.unbounded();
        Mono.just(1).transform(RateLimit.with(limiter, HERE)).subscribe(call);
        assertThat(call.error).isInstanceOf(RejectedExecutionException.class);
    }

    /** Sets a hook that throws: something else than it is given, or that again. */
    private RuntimeException hookThatThrows(boolean another) {
        RuntimeException ofHook = another ? new IllegalStateException("of the hook") : broken;
        Hooks.onOperatorError((error, value) -> {
            throw ofHook;
        });
        return ofHook;
    }

    @Test
    @DisplayName("a hook that throws as a source fails from which elements are taken: downstream hears of it")
    void hookThatThrowsAsAPulledSourceFails() {
        RuntimeException ofHook = hookThatThrows(true);
        Ledger<Integer> ledger = subscribe(
                Flux.fromIterable(() -> Stream.of(1, 2).map(n -> 1 / (2 - n)).iterator()),
                RateLimiter.of(5, SECOND),
                HERE,
                Long.MAX_VALUE);
        assertThat(ledger.received()).containsExactly(1);
        assertThat(ledger.error).isSameAs(ofHook);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("so it is as a source throws when elements are requested, also if the hook throws just that")
    void hookThatThrowsAtRequests(boolean another) {
        RuntimeException ofHook = hookThatThrows(another);
        Ledger<Integer> ledger =
                subscribe(throwingAtRequests(broken), Ledger.limiter(time, 1, SECOND), HERE, Long.MAX_VALUE);
        assertThat(ledger.error).isSameAs(ofHook);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("so it is as a cost function fails; its element is dropped")
    void hookThatThrowsAsAFunctionFails(boolean another) {
        RuntimeException ofHook = hookThatThrows(another);
        Ledger<Integer> ledger = Ledger.unbounded();
        Flux.just(1)
                .transform(RateLimit.weighted(
                        RateLimiter.of(Limit.unlimited()),
                        element -> {
                            throw broken;
                        },
                        ledger.options(HERE)))
                .subscribe(ledger);
        assertThat(ledger.error).isSameAs(ofHook);
        assertThat(ledger.dropped()).containsExactly(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("so it is as the source of a call throws when it is subscribed, and the lease is closed")
    void hookThatThrowsAsACallFails(boolean another) {
        RuntimeException ofHook = hookThatThrows(another);
        Flux<Integer> source = Flux.from(subscriber -> {
            throw broken;
        });
        RateLimiter one = RateLimiter.of(Limit.concurrency(1));
        for (boolean waits : new boolean[] {false, true}) {
            Lease taken = one.tryAcquire(waits ? 1 : 0);
            Ledger<Integer> ledger = Ledger.unbounded();
            source.transform(RateLimit.perSubscription(one, HERE)).subscribe(ledger);
            taken.close();
            assertThat(ledger.error).isSameAs(ofHook);
            assertThat(one.availablePermits()).isOne();
        }
    }

    @ParameterizedTest(name = "prefetch {0}")
    @ValueSource(ints = {1, 2})
    @DisplayName(
            "the hook for errors of operators hears what a source throws when elements are requested, also the first")
    void requestThrows(int prefetch) {
        Hooks.onOperatorError((error, value) -> new IllegalStateException("hooked", error));
        Ledger<Integer> ledger = subscribe(
                throwingAtRequests(new IllegalStateException("requested")),
                Ledger.limiter(time, 1, SECOND),
                HERE.prefetch(prefetch),
                Long.MAX_VALUE);
        assertThat(ledger.error).hasMessage("hooked").hasRootCauseMessage("requested");
    }

    private static Flux<Integer> throwingAtRequests(RuntimeException thrown) {
        return Flux.from(subscriber -> subscriber.onSubscribe(new Subscription() {
            @Override
            public void request(long n) {
                throw thrown;
            }

            @Override
            public void cancel() {}
        }));
    }

    @ParameterizedTest(name = "prefetch {0}")
    @ValueSource(ints = {1, 2})
    @DisplayName("a source that fails fatally when elements are requested, also the first: the thread hears of it")
    void requestThrowsFatally(int prefetch) {
        Ledger<Integer> ledger = Ledger.unbounded();
        Flux<Integer> limited = Flux.range(1, 3)
                .<Integer>map(i -> {
                    throw new LinkageError("fatal");
                })
                .transform(RateLimit.perKey(
                        PartitionedRateLimiter.of(Limit.of(1, SECOND)),
                        i -> i,
                        ledger.options(HERE.prefetch(prefetch))));
        assertThatThrownBy(() -> limited.subscribe(ledger)).isInstanceOf(LinkageError.class);
        assertThat(ledger.error).isNull();
        assertThat(ledger.completed).isFalse();
    }

    @Test
    @DisplayName("onErrorContinue goes on without the element whose cost could not be computed")
    void onErrorContinue() {
        Queue<Object> continued = new ConcurrentLinkedQueue<>();
        Ledger<Integer> ledger = Ledger.unbounded();
        Flux.range(1, 4)
                .transform(RateLimit.weighted(
                        RateLimiter.of(Limit.unlimited()),
                        i -> {
                            if (i == 2) {
                                throw new IllegalStateException("no cost");
                            }
                            return i;
                        },
                        ledger.options(HERE)))
                .onErrorContinue((error, element) -> continued.add(element))
                .subscribe(ledger);
        assertThat(ledger.received()).containsExactly(1, 3, 4);
        assertThat(ledger.completed).isTrue();
        assertThat(continued).containsExactly(2);
        assertThat(ledger.dropped()).containsExactly(2);
    }

    @Test
    @DisplayName("the context of the subscriber reaches the source, of elements and of calls")
    void context() {
        Flux<String> who = Flux.deferContextual(context -> Flux.just(context.<String>get("who")));
        RateLimiter limiter = RateLimiter.of(Limit.of(1, Duration.ofMillis(5)));
        for (RateLimit<String> limit : List.<RateLimit<String>>of(
                RateLimit.with(limiter), RateLimit.perSubscription(limiter), RateLimit.of(1, SECOND))) {
            assertThat(who.transform(limit)
                            .contextWrite(Context.of("who", "me"))
                            .blockFirst(LONGEST))
                    .isEqualTo("me");
            assertThat(who.next()
                            .transform(limit)
                            .contextWrite(Context.of("who", "me"))
                            .block(LONGEST))
                    .isEqualTo("me");
        }
    }

    @Test
    @DisplayName("assembly hooks and checkpoints see the operator")
    void assembly() {
        AtomicInteger assembled = new AtomicInteger();
        Hooks.onEachOperator(publisher -> {
            assembled.incrementAndGet();
            return publisher;
        });
        Flux<Integer> source = Flux.range(1, 3);
        int before = assembled.get();
        Flux<Integer> limited = source.transform(RateLimit.of(5, SECOND));
        assertThat(assembled.get()).isGreaterThan(before);
        assertThat(limited.name("named").tag("a", "b").collectList().block(SECOND))
                .containsExactly(1, 2, 3);
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName(
            "an error tells the line where the limit was put, and the checkpoint behind it, with Hooks.onOperatorDebug")
    void debugTraces(RateLimit<Integer> limit) {
        Hooks.onOperatorDebug();
        Flux<Integer> broken = Flux.error(new IllegalStateException("broken"));
        for (Publisher<Integer> limited : List.of(
                broken.transform(limit).checkpoint("behind the limit"),
                broken.next().transform(limit).checkpoint("behind the limit"))) {
            Ledger<Integer> ledger = Ledger.unbounded();
            limited.subscribe(ledger);
            assertThat(ledger.error.getSuppressed()[0])
                    .hasMessageContaining("transform ⇢ at dev.weir.reactor.HooksTest.debugTraces")
                    .hasMessageContaining("behind the limit");
        }
    }

    static Stream<RateLimit<Integer>> limits() {
        RateLimiter limiter = Ledger.limiter(new VirtualTimeSource(), 9, SECOND);
        return Stream.of(
                RateLimit.of(9, SECOND),
                RateLimit.with(limiter),
                RateLimit.weighted(limiter, i -> 1),
                RateLimit.perSubscription(limiter));
    }

    @Test
    @DisplayName("scanOperator")
    void scanOperator() {
        Flux<Integer> source = Flux.range(1, 3);
        RateLimiter limiter = Ledger.limiter(time, 1, SECOND);
        List<Scannable> operators = List.of(
                Scannable.from(RateLimit.<Integer>of(5, SECOND).apply(source)),
                Scannable.from(RateLimit.<Integer>perSubscription(limiter).apply(source)));
        assertThat(operators).allSatisfy(operator -> {
            assertThat(operator.isScanAvailable()).isTrue();
            assertThat(operator.scan(Scannable.Attr.PARENT)).isSameAs(source);
            assertThat(operator.scan(Scannable.Attr.RUN_STYLE)).isEqualTo(Scannable.Attr.RunStyle.ASYNC);
        });
        assertThat(operators.get(0).scan(Scannable.Attr.PREFETCH)).isEqualTo(1);
    }

    @Test
    @DisplayName("assembly hooks see a call with its lease, once, and it has no parent: it is the source")
    void assemblyOfLeased() {
        RateLimiter limiter = Ledger.limiter(time, 1, SECOND);
        List<Publisher<?>> assembled = new ArrayList<>();
        Hooks.onEachOperator(publisher -> {
            assembled.add(publisher);
            return publisher;
        });
        Mono<Integer> one = RateLimit.withLease(limiter, 1, lease -> Mono.empty());
        Flux<Integer> many = RateLimit.withLeaseMany(limiter, 1, lease -> Mono.empty());
        assertThat(assembled).hasSize(2).startsWith(one).endsWith(many);
        assertThat(List.of(Scannable.from(one), Scannable.from(many))).allSatisfy(source -> {
            assertThat(source.isScanAvailable()).isTrue();
            assertThat(source.parents()).isEmpty();
            assertThat(source.scan(Scannable.Attr.RUN_STYLE)).isEqualTo(Scannable.Attr.RunStyle.ASYNC);
        });
        assertThat(many.getPrefetch()).isEqualTo(-1);
    }

    @Test
    @DisplayName("scanSubscriber: while it waits, when it is over, when it is cancelled")
    void scanSubscriber() {
        ManualSource<Integer> source = new ManualSource<>();
        Ledger<Integer> ledger = subscribe(source, Ledger.exhausted(time, 1, SECOND), HERE.buffer(7), 5);
        Scannable subscriber = Scannable.from(source.subscriber);
        source.next(1);
        source.next(2);
        assertThat(subscriber.scanUnsafe(Scannable.Attr.PARENT)).isSameAs(source);
        assertThat(subscriber.scanUnsafe(Scannable.Attr.ACTUAL)).isSameAs(ledger);
        assertThat(subscriber.scan(Scannable.Attr.BUFFERED)).isEqualTo(2);
        assertThat(subscriber.scan(Scannable.Attr.CAPACITY)).isEqualTo(7);
        assertThat(subscriber.scan(Scannable.Attr.PREFETCH)).isEqualTo(Integer.MAX_VALUE);
        assertThat(subscriber.scan(Scannable.Attr.REQUESTED_FROM_DOWNSTREAM)).isEqualTo(5);
        assertThat(subscriber.scan(Scannable.Attr.DELAY_ERROR)).isTrue();
        assertThat(subscriber.scan(Scannable.Attr.RUN_ON))
                .as("an executor of the user")
                .isNull();
        assertThat(subscriber.scan(Scannable.Attr.RUN_STYLE)).isEqualTo(Scannable.Attr.RunStyle.ASYNC);
        assertThat(subscriber.scanUnsafe(Scannable.Attr.NAME)).isNull();
        IllegalStateException broken = new IllegalStateException("broken");
        source.fail(broken);
        assertThat(subscriber.scan(Scannable.Attr.ERROR)).isSameAs(broken);
        assertThat(subscriber.scan(Scannable.Attr.TERMINATED)).isFalse();
        time.advanceBy(SECOND.multipliedBy(2));
        assertThat(subscriber.scan(Scannable.Attr.TERMINATED)).isTrue();
        assertThat(subscriber.scan(Scannable.Attr.CANCELLED)).isFalse();

        ManualSource<Integer> other = new ManualSource<>();
        subscribe(other, Ledger.exhausted(time, 1, SECOND), HERE, 5).cancel();
        assertThat(Scannable.from(other.subscriber).scan(Scannable.Attr.CANCELLED))
                .isTrue();
        assertThat(Scannable.from(other.subscriber).scan(Scannable.Attr.TERMINATED))
                .isFalse();
    }

    @Test
    @DisplayName("scanSubscriber of a call: when it is over, when it is cancelled")
    void scanCall() {
        for (boolean ends : new boolean[] {true, false}) {
            ManualSource<Integer> source = new ManualSource<>();
            Ledger<Integer> ledger = Ledger.unbounded();
            source.transform(RateLimit.perSubscription(RateLimiter.of(Limit.unlimited()), HERE))
                    .subscribe(ledger);
            Scannable call = Scannable.from(source.subscriber);
            assertThat(call.scanUnsafe(Scannable.Attr.PARENT)).isSameAs(source);
            assertThat(call.scan(Scannable.Attr.TERMINATED)).isFalse();
            assertThat(call.scan(Scannable.Attr.CANCELLED)).isFalse();
            if (ends) {
                source.complete();
            }
            ledger.cancel();
            assertThat(call.scan(Scannable.Attr.TERMINATED)).isEqualTo(ends);
            assertThat(call.scan(Scannable.Attr.CANCELLED)).isEqualTo(!ends);
        }
    }
}
