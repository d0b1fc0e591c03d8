package dev.weir.rxjava;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.observers.TestObserver;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A hook for scheduled tasks that copies a thread local: who has waited goes on with that of the thread that subscribed. */
class ScheduleHooksTest {

    private static final ThreadLocal<String> USER = new ThreadLocal<>();
    private static final List<String> USERS = List.of("red", "blue", "green", "grey");
    private static final Duration PERIOD = Duration.ofMillis(2);
    private static final Duration LONGEST = Duration.ofSeconds(20);

    @RegisterExtension
    final Plugins plugins = Plugins.withRealTime();

    /** A gated source that makes a call. */
    private interface Gated extends Function<Callable<String>, Flowable<String>> {}

    /** Every way to wait, on a limiter that all share. */
    static Stream<Arguments> gated() {
        Single<String> own =
                Single.fromCallable(() -> String.valueOf(USER.get())).compose(RateLimit.of(1, PERIOD));
        RateLimiter system = RateLimiter.of(1, PERIOD);
        RateLimiter one = RateLimiter.of(Limit.concurrency(1));
        RateLimiter computation = RateLimiter.builder(Limit.of(1, PERIOD))
                .timeSource(RxTime.of(Schedulers.computation()))
                .build();
        return Stream.of(
                calls(
                        "own limiter",
                        call -> own.flatMap(whose -> call.filter(whose::equals).toSingle())
                                .toFlowable()),
                calls("shared", call -> call.compose(RateLimit.with(system)).toFlowable()),
                calls(
                        "RxJava's time",
                        call -> call.compose(RateLimit.with(computation)).toFlowable()),
                calls(
                        "released by another",
                        call -> call.delay(PERIOD.toNanos(), TimeUnit.NANOSECONDS)
                                .compose(RateLimit.with(one))
                                .toFlowable()),
                calls("perSubscription", call -> call.toFlowable().compose(RateLimit.perSubscription(system))),
                calls(
                        "withLease",
                        call -> RateLimit.withLease(system, 1, lease -> call).toFlowable()),
                calls("withLeaseMany", call -> RateLimit.withLeaseMany(system, 1, lease -> call.toFlowable())),
                calls("elements", call -> call.repeat(3).compose(RateLimit.with(system))));
    }

    private static Arguments calls(String name, Function<Single<String>, Flowable<String>> gate) {
        return arguments(name, (Gated) call -> gate.apply(Single.fromCallable(call)));
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
        RxJavaPlugins.setScheduleHandler(ScheduleHooksTest::carrying);
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (String user : USERS) {
            Runnable sees = () -> seen.add(user + " as " + USER.get());
            Flowable<String> stream = gated.apply(() -> {
                        sees.run();
                        return user;
                    })
                    .doOnNext(element -> sees.run());
            as(user, () -> all.add(stream.lastElement().toCompletionStage().toCompletableFuture()));
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
        IllegalStateException broken = new IllegalStateException("broken");
        RxJavaPlugins.setScheduleHandler(task -> {
            throw broken;
        });
        TestObserver<Integer> waits =
                Single.just(1).compose(RateLimit.with(one)).test();
        RxJavaPlugins.setScheduleHandler(null);
        out.close();
        waits.assertError(error -> error instanceof RejectedExecutionException && error.getCause() == broken);
        assertThat(one.availablePermits()).isOne();
        RxJavaPlugins.setScheduleHandler(task -> {
            throw broken;
        });
        Single.just(1).compose(RateLimit.with(one)).test().assertValue(1);
    }
}
