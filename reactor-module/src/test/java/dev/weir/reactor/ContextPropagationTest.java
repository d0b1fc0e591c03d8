package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.testkit.VirtualTimeSource;
import dev.weir.time.TimeSource;
import io.micrometer.context.ContextRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/** Thread locals that follow the context, on a limiter that streams of different contexts share. */
class ContextPropagationTest {

    private static final String KEY = "tenant";
    private static final ThreadLocal<String> TENANT = new ThreadLocal<>();
    private static final List<String> TENANTS = List.of("red", "blue", "green", "grey");
    private static final Duration PERIOD = Duration.ofMillis(2);
    private static final Duration LONGEST = Duration.ofSeconds(20);

    @BeforeEach
    void enable() {
        ContextRegistry.getInstance().registerThreadLocalAccessor(KEY, TENANT);
        Hooks.enableAutomaticContextPropagation();
    }

    @AfterEach
    void disable() {
        Hooks.disableAutomaticContextPropagation();
        ContextRegistry.getInstance().removeThreadLocalAccessor(KEY);
    }

    /** Every way to be gated on a shared limiter, and on one of the operator's own, on several times. */
    static Stream<Arguments> operators() {
        TimeSource parallel = ReactorTime.of(Schedulers.parallel());
        return Stream.of(
                arguments("of", (Supplier<RateLimit<String>>) () -> RateLimit.of(1, PERIOD)),
                arguments("with, system time", (Supplier<RateLimit<String>>)
                        () -> RateLimit.with(one(TimeSource.system()))),
                arguments("with, Reactor's time", (Supplier<RateLimit<String>>) () -> RateLimit.with(one(parallel))),
                arguments("with, on the granting thread", (Supplier<RateLimit<String>>) () -> RateLimit.with(
                        one(TimeSource.system()), StreamOptions.defaults().emitOn(Runnable::run))),
                arguments("weighted, read ahead", (Supplier<RateLimit<String>>) () -> RateLimit.weighted(
                        one(TimeSource.system()),
                        i -> 1,
                        StreamOptions.defaults().prefetch(2))),
                arguments("perSubscription, system time", (Supplier<RateLimit<String>>)
                        () -> RateLimit.perSubscription(one(TimeSource.system()))),
                arguments("perSubscription, Reactor's time", (Supplier<RateLimit<String>>)
                        () -> RateLimit.perSubscription(one(parallel))));
    }

    @Test
    @DisplayName(
            "a task of a scheduler has the thread locals of the thread that schedules it; the timer of a limiter has none")
    void timerCarriesNothing() {
        CompletableFuture<String> task = new CompletableFuture<>();
        CompletableFuture<String> timer = new CompletableFuture<>();
        TENANT.set("red");
        try {
            Schedulers.parallel().schedule(() -> task.complete("as " + TENANT.get()));
            ReactorTime.of(Schedulers.parallel()).schedule(() -> timer.complete("as " + TENANT.get()), 1);
            assertThat(TENANT.get()).isEqualTo("red");
        } finally {
            TENANT.remove();
        }
        assertThat(task).succeedsWithin(LONGEST).isEqualTo("as red");
        assertThat(timer).succeedsWithin(LONGEST).isEqualTo("as null");
    }

    @Test
    @DisplayName("a timer is set also if a thread local cannot be cleared")
    void timerDespiteAFailure() {
        Thread setting = Thread.currentThread();
        ContextRegistry.getInstance().registerThreadLocalAccessor("stubborn", () -> null, value -> {}, () -> {
            if (Thread.currentThread() == setting) {
                throw new IllegalStateException("on purpose");
            }
        });
        CompletableFuture<String> timer = new CompletableFuture<>();
        try {
            ReactorTime.of(Schedulers.parallel()).schedule(() -> timer.complete("due"), 1);
        } finally {
            ContextRegistry.getInstance().removeThreadLocalAccessor("stubborn");
        }
        assertThat(timer).succeedsWithin(LONGEST).isEqualTo("due");
    }

    private static RateLimiter one(TimeSource time) {
        return RateLimiter.builder(Limit.of(1, PERIOD)).timeSource(time).build();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("operators")
    @DisplayName("a gated mono is subscribed, and goes on, with the thread locals of its own subscriber")
    void sourceOfMono(String name, Supplier<RateLimit<String>> operator) {
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        Mono<String> gated = Mono.deferContextual(context -> {
                    seen.add(context.get(KEY) + " as " + TENANT.get());
                    return Mono.just(context.<String>get(KEY));
                })
                .transform(operator.get())
                .doOnNext(tenant -> seen.add(tenant + " as " + TENANT.get()));
        Flux.fromIterable(TENANTS)
                .flatMap(tenant -> gated.contextWrite(Context.of(KEY, tenant)))
                .blockLast(LONGEST);
        assertEachAsItself(seen, 2 * TENANTS.size());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("operators")
    @DisplayName("operators before the limit of a flux run with the thread locals of its own subscriber, fused or not")
    void sourceOfFlux(String name, Supplier<RateLimit<String>> operator) {
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        RateLimit<String> limited = operator.get();
        UnaryOperator<Flux<Integer>> fused = source -> source;
        for (UnaryOperator<Flux<Integer>> kind :
                List.of(fused, Flux::hide, f -> f.publishOn(Schedulers.parallel(), 1))) {
            Flux<String> gated = Flux.deferContextual(context -> kind.apply(Flux.range(0, 3))
                    .doOnRequest(n -> seen.add(context.get(KEY) + " as " + TENANT.get()))
                    .map(i -> {
                        seen.add(context.get(KEY) + " as " + TENANT.get());
                        return context.<String>get(KEY);
                    })
                    .transform(limited)
                    .doOnNext(tenant -> seen.add(tenant + " as " + TENANT.get())));
            Flux.fromIterable(TENANTS)
                    .flatMap(tenant -> gated.contextWrite(Context.of(KEY, tenant)))
                    .blockLast(LONGEST);
        }
        assertThat(seen).hasSizeGreaterThan(3 * 2 * 3 * TENANTS.size());
        assertEachAsItself(seen, seen.size());
    }

    @Test
    @DisplayName("a function that makes a call, and the call, run with the thread locals of their own subscriber")
    void withLease() {
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        RateLimiter limiter = one(TimeSource.system());
        Flux.fromIterable(TENANTS)
                .flatMap(tenant -> {
                    Mono<String> one = RateLimit.withLease(limiter, 1, lease -> {
                        seen.add(tenant + " as " + TENANT.get());
                        return Mono.fromRunnable(() -> seen.add(tenant + " as " + TENANT.get()));
                    });
                    Flux<String> many = RateLimit.withLeaseMany(limiter, 1, lease -> {
                        seen.add(tenant + " as " + TENANT.get());
                        return Flux.just(tenant).doOnRequest(n -> seen.add(tenant + " as " + TENANT.get()));
                    });
                    return one.thenMany(many).contextWrite(Context.of(KEY, tenant));
                })
                .blockLast(LONGEST);
        assertEachAsItself(seen, 4 * TENANTS.size());
    }

    @Test
    @DisplayName("so do the operators that follow it, as they hear that its permits are refused")
    void refusedLease() {
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        RateLimiter limiter = RateLimiter.of(Limit.concurrency(1));
        limiter.tryAcquire();
        StreamOptions here = StreamOptions.defaults().emitOn(Runnable::run);
        for (String tenant : TENANTS) {
            Mono<String> one = RateLimit.withLease(limiter, 1, lease -> Mono.just(tenant), here);
            Flux<String> many = RateLimit.withLeaseMany(limiter, 1, lease -> Mono.just(tenant), here);
            Flux.mergeDelayError(
                            2,
                            one.doOnError(refusal -> seen.add(tenant + " as " + TENANT.get())),
                            many.doOnError(refusal -> seen.add(tenant + " as " + TENANT.get())))
                    .onErrorComplete()
                    .contextWrite(Context.of(KEY, tenant))
                    .subscribe();
        }
        limiter.close();
        assertEachAsItself(seen, 2 * TENANTS.size());
    }

    private static void assertEachAsItself(Queue<String> seen, int expected) {
        assertThat(seen)
                .hasSize(expected)
                .isSubsetOf(
                        TENANTS.stream().map(tenant -> tenant + " as " + tenant).toList());
    }

    @Test
    @DisplayName("a limit has no operator before it without automatic propagation")
    void nothingWithoutTheHook() {
        Hooks.disableAutomaticContextPropagation();
        Flux<Integer> source = Flux.range(0, 3);
        assertThat(Scannable.from(source.transform(RateLimit.of(1, PERIOD))).scan(Scannable.Attr.PARENT))
                .isSameAs(source);
        Mono<Integer> call = Mono.just(1);
        assertThat(Scannable.from(call.transform(RateLimit.of(1, PERIOD))).scan(Scannable.Attr.PARENT))
                .isSameAs(call);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("operators")
    @DisplayName("a captured context reaches handle and tap around the limit without propagation")
    void captured(String name, Supplier<RateLimit<String>> operator) {
        Hooks.disableAutomaticContextPropagation();
        RateLimit<String> limited = operator.get();
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        Flux<String> gated = Flux.just("first", "second", "third")
                .<String>handle((item, sink) -> sink.next(String.valueOf(TENANT.get())))
                .transform(limited)
                .handle((before, sink) -> {
                    seen.add(before + " as " + TENANT.get());
                    sink.next(before);
                });
        Mono<String> call = Mono.just("call")
                .<String>handle((item, sink) -> sink.next(String.valueOf(TENANT.get())))
                .transform(limited)
                .handle((before, sink) -> {
                    seen.add(before + " as " + TENANT.get());
                    sink.next(before);
                });
        List<Mono<Void>> all = new ArrayList<>();
        for (String tenant : TENANTS) {
            all.add(captured(tenant, gated.contextCapture().then()));
            all.add(captured(tenant, call.contextCapture().then()));
        }
        Flux.merge(all).blockLast(LONGEST);
        assertEachAsItself(seen, 4 * TENANTS.size());
    }

    /** Subscribed by somebody with these thread locals, which are gone right after. */
    private static Mono<Void> captured(String tenant, Mono<Void> stream) {
        return Mono.create(sink -> {
            TENANT.set(tenant);
            try {
                sink.onDispose(stream.subscribe(nothing -> {}, sink::error, sink::success));
            } finally {
                TENANT.remove();
            }
        });
    }

    @Test
    @DisplayName("downstream sees the thread locals of its own context, whoever's thread brings the permit")
    void eachStreamSeesItsOwn() {
        VirtualTimeSource time = new VirtualTimeSource();
        RateLimiter shared = RateLimiter.builder(Limit.of(1, Duration.ofSeconds(1)))
                .timeSource(time)
                .build();
        List<String> seen = new CopyOnWriteArrayList<>();
        for (String tenant : List.of("red", "blue")) {
            Flux.range(0, 3)
                    .transform(RateLimit.with(shared))
                    .doOnNext(i -> seen.add(tenant + " sees " + TENANT.get()))
                    .contextWrite(Context.of(KEY, tenant))
                    .subscribe();
        }
        for (int granted = 1; granted <= 6; granted++) {
            int expected = granted;
            Awaitility.await().until(() -> seen.size() >= expected);
            Awaitility.await().until(() -> expected == 6 || shared.statistics().queuedPermits() > 0);
            time.advanceBy(Duration.ofSeconds(1));
        }
        assertThat(seen).hasSize(6).allMatch(one -> one.equals("red sees red") || one.equals("blue sees blue"));
        assertThat(seen).contains("red sees red", "blue sees blue");
    }
}
