package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** A hook for scheduled tasks that copies a thread local: who has waited goes on with that of the thread that subscribed. */
class ScheduleHooksTest {

    private static final String HOOK = "user";
    private static final ThreadLocal<String> USER = new ThreadLocal<>();
    private static final List<String> USERS = List.of("red", "blue", "green", "grey");
    private static final Duration PERIOD = Duration.ofMillis(2);
    private static final Duration LONGEST = Duration.ofSeconds(20);

    @AfterEach
    void unhook() {
        Schedulers.resetOnScheduleHook(HOOK);
    }

    /** A gated source that makes a call. */
    private interface Gated extends Function<Callable<String>, Flux<String>> {}

    /** Every way to wait, on a limiter that all share. */
    static Stream<Arguments> gated() {
        Mono<String> own = Mono.fromCallable(() -> String.valueOf(USER.get())).transform(RateLimit.of(1, PERIOD));
        RateLimiter system = RateLimiter.of(1, PERIOD);
        RateLimiter one = RateLimiter.of(Limit.concurrency(1));
        RateLimiter parallel = RateLimiter.builder(Limit.of(1, PERIOD))
                .timeSource(ReactorTime.of(Schedulers.parallel()))
                .build();
        return Stream.of(
                calls(
                        "own limiter",
                        call -> own.flatMap(whose -> call.filter(whose::equals).single())
                                .flux()),
                calls("shared", call -> call.transform(RateLimit.with(system)).flux()),
                calls(
                        "Reactor's time",
                        call -> call.transform(RateLimit.with(parallel)).flux()),
                calls(
                        "released by another",
                        call -> call.delayElement(PERIOD)
                                .transform(RateLimit.with(one))
                                .flux()),
                calls("perSubscription", call -> call.flux().transform(RateLimit.perSubscription(system))),
                calls(
                        "withLease",
                        call -> RateLimit.withLease(system, 1, lease -> call).flux()),
                calls("withLeaseMany", call -> RateLimit.withLeaseMany(system, 1, lease -> call.flux())),
                calls("elements", call -> call.repeat(2).transform(RateLimit.with(system))));
    }

    private static Arguments calls(String name, Function<Mono<String>, Flux<String>> gate) {
        return arguments(name, (Gated) call -> gate.apply(Mono.fromCallable(call)));
    }

    private static void as(String user, Runnable action) {
        String before = USER.get();
        USER.set(user);
        try {
            action.run();
        } finally {
            USER.set(before);
        }
    }

    private static Runnable carrying(Runnable task) {
        String user = USER.get();
        return () -> as(user, task);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    @DisplayName("the call, and what is behind the limit, run as the one who subscribed")
    void gated(String name, Gated gated) {
        Schedulers.onScheduleHook(HOOK, ScheduleHooksTest::carrying);
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (String user : USERS) {
            Runnable sees = () -> seen.add(user + " as " + USER.get());
            Flux<String> stream = gated.apply(() -> {
                        sees.run();
                        return user;
                    })
                    .doOnNext(element -> sees.run());
            as(user, () -> all.add(stream.then().toFuture()));
        }
        assertThat(CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)))
                .succeedsWithin(LONGEST);
        assertThat(seen)
                .hasSizeGreaterThanOrEqualTo(2 * USERS.size())
                .isSubsetOf(USERS.stream().map(user -> user + " as " + user).toList());
    }

    @Test
    @DisplayName(
            "a hook that throws as a call is subscribed: it fails as it has to be scheduled, and its permit is back")
    void throwingHook() {
        RateLimiter one = RateLimiter.of(Limit.concurrency(1));
        Lease out = one.tryAcquire();
        Mono<Integer> gated = Mono.just(1).transform(RateLimit.with(one));
        IllegalStateException broken = new IllegalStateException("broken");
        Ledger<Integer> waits = Ledger.unbounded();
        subscribeWithHookThatThrows(gated, waits, broken);
        out.close();
        assertThat(waits.error).isInstanceOf(RejectedExecutionException.class).hasRootCause(broken);
        assertThat(one.availablePermits()).isOne();
        Ledger<Integer> atOnce = Ledger.unbounded();
        subscribeWithHookThatThrows(gated, atOnce, broken);
        assertThat(atOnce.received()).containsExactly(1);
    }

    private static void subscribeWithHookThatThrows(Mono<Integer> gated, Ledger<Integer> to, RuntimeException thrown) {
        Schedulers.onScheduleHook(HOOK, task -> {
            throw thrown;
        });
        gated.subscribe(to);
        Schedulers.resetOnScheduleHook(HOOK);
    }
}
