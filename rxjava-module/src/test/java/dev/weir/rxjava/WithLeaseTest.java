package dev.weir.rxjava;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.weir.Lease;
import dev.weir.RateLimitExceededException;
import dev.weir.RateLimiter;
import dev.weir.RateLimiterObserver;
import dev.weir.limit.Limit;
import dev.weir.stream.OnRefused;
import dev.weir.stream.StreamOptions;
import dev.weir.testkit.VirtualTimeSource;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.subscribers.TestSubscriber;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;

/**
 * Calls that get their lease. Whenever one is cancelled, either it has its lease, which is closed, or the permits are back as if
 * they had never been asked for.
 */
class WithLeaseTest {

    private static final int ALL = 3;
    private static final Duration PERIOD = Duration.ofHours(1);
    private static final StreamOptions HERE = StreamOptions.defaults().emitOn(Runnable::run);

    @RegisterExtension
    final Plugins plugins = Plugins.withRealTime();

    private final VirtualTimeSource time = new VirtualTimeSource();
    private Runnable onAcquired = () -> {};
    private final RateLimiter limiter = RateLimiter.builder(Limit.allOf(Limit.of(ALL, PERIOD), Limit.concurrency(ALL)))
            .timeSource(time)
            .observer(new RateLimiterObserver() {
                @Override
                public void onAcquired(int permits, long waitedNanos) {
                    onAcquired.run();
                }
            })
            .build();
    private final RateLimiter tokens = RateLimiter.builder(Limit.tokenBucket(100, 100, Duration.ofSeconds(100)))
            .timeSource(time)
            .build();
    private final RateLimiter room = RateLimiter.of(Limit.concurrency(1));
    private final Lease held = limiter.tryAcquire(ALL);
    private final TestSubscriber<String> ledger = new TestSubscriber<>();
    private final AtomicInteger begun = new AtomicInteger();

    private enum Kind {
        ONE {
            @Override
            Flowable<String> of(
                    RateLimiter limiter, int permits, Function<Lease, Single<String>> call, StreamOptions options) {
                return RateLimit.<String>withLease(limiter, permits, call::apply, options)
                        .toFlowable();
            }
        },
        MANY {
            @Override
            Flowable<String> of(
                    RateLimiter limiter, int permits, Function<Lease, Single<String>> call, StreamOptions options) {
                return RateLimit.withLeaseMany(
                        limiter, permits, lease -> call.apply(lease).toFlowable(), options);
            }
        };

        abstract Flowable<String> of(
                RateLimiter limiter, int permits, Function<Lease, Single<String>> call, StreamOptions options);

        Flowable<String> of(RateLimiter limiter, int permits, Function<Lease, Single<String>> call) {
            return of(limiter, permits, call, HERE);
        }
    }

    private Flowable<String> withLease(Kind kind, Single<String> call) {
        return withLease(kind, call, HERE);
    }

    private Flowable<String> withLease(Kind kind, Single<String> call, StreamOptions options) {
        return kind.of(
                limiter,
                ALL,
                lease -> {
                    begun.incrementAndGet();
                    return call;
                },
                options);
    }

    /** Once the period is over, whatever the lease was spent on. */
    private long left() {
        time.advanceBy(PERIOD);
        return limiter.availablePermits();
    }

    private void assertEitherOr() {
        assertThat(limiter.statistics().queuedPermits()).isZero();
        assertThat(limiter.availablePermits()).isEqualTo(begun.get() == 0 ? ALL : 0);
        assertThat(left()).isEqualTo(ALL);
    }

    // The lease

    @ParameterizedTest
    @EnumSource
    @DisplayName("the lease is that of the permits, out as long as the call, and then its permits are spent")
    void spent(Kind kind) {
        kind.of(limiter, ALL, lease -> Single.fromCallable(() -> lease.permits() + " out, left " + left()))
                .subscribe(ledger);
        ledger.assertNoValues();
        held.giveBack();
        ledger.assertValues("3 out, left 0");
        ledger.assertComplete();
        assertThat(left()).isEqualTo(ALL);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "settled for less, the difference is back at once; for more, time repays it; not settled, the estimate is spent")
    void settled(Kind kind) {
        kind.of(tokens, 40, lease -> Single.just("less").doOnSuccess(answer -> lease.settle(10)))
                .doOnNext(answer -> assertThat(tokens.availablePermits()).isEqualTo(90))
                .subscribe(ledger);
        kind.of(tokens, 40, lease -> Single.just("more").doOnSuccess(answer -> lease.settle(130)))
                .subscribe(new TestSubscriber<>());
        ledger.assertValues("less");
        time.advanceBy(Duration.ofSeconds(50));
        assertThat(tokens.tryAcquire(11).isAcquired())
                .as("40 in debt, 50 repaid")
                .isFalse();
        assertThat(tokens.tryAcquire(10).isAcquired()).isTrue();
        time.advanceBy(Duration.ofSeconds(100));
        kind.of(tokens, 40, lease -> Single.just("as estimated")).subscribe(new TestSubscriber<>());
        assertThat(tokens.availablePermits()).isEqualTo(60);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "under a limit of concurrency the room is free before downstream hears of the end, or of a single's value")
    void freeBefore(Kind kind) {
        List<String> heard = new ArrayList<>();
        kind.of(room, 1, lease -> Single.fromCallable(() -> "within, free " + room.availablePermits()))
                .doOnNext(element -> heard.add(element + "; then " + room.availablePermits()))
                .doOnComplete(() -> heard.add("end " + room.availablePermits()))
                .blockingSubscribe();
        kind.of(room, 1, lease -> Single.error(new IllegalStateException("on purpose")))
                .doOnError(error -> heard.add(error.getMessage() + " " + room.availablePermits()))
                .onErrorComplete()
                .blockingSubscribe();
        assertThat(heard)
                .containsExactly("within, free 0; then " + (kind == Kind.ONE ? 1 : 0), "end 1", "on purpose 1");
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a call that fails has been made, and closes its lease")
    void failed(Kind kind) {
        held.giveBack();
        withLease(kind, Single.error(() -> new IllegalStateException("on purpose")))
                .subscribe(ledger);
        ledger.assertError(error -> "on purpose".equals(error.getMessage()));
        assertEitherOr();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "a function that throws or returns null has made no call: the stream fails, and the lease is given back")
    void notMade(Kind kind) {
        held.giveBack();
        long acquired = limiter.statistics().acquired();
        kind.of(limiter, ALL, lease -> {
                    throw new IllegalStateException("on purpose");
                })
                .subscribe(ledger);
        ledger.assertError(error -> "on purpose".equals(error.getMessage()));
        TestSubscriber<String> second = new TestSubscriber<>();
        kind.of(limiter, ALL, lease -> null).subscribe(second);
        second.assertError(NullPointerException.class);
        assertThat(limiter.availablePermits()).isEqualTo(ALL);
        assertThat(limiter.statistics().acquired()).isEqualTo(acquired);
    }

    // The request

    @ParameterizedTest
    @EnumSource
    @DisplayName("each subscription asks anew, also by repeat and retry")
    void asksAgain(Kind kind) {
        kind.of(tokens, 10, lease -> Single.just("answer")).repeat(3).subscribe(ledger);
        ledger.assertValueCount(3);
        assertThat(tokens.availablePermits()).isEqualTo(70);
        kind.of(tokens, 10, lease -> Single.error(new IllegalStateException("on purpose")))
                .retry(2)
                .subscribe(new TestSubscriber<>());
        assertThat(tokens.availablePermits()).isEqualTo(40);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a wait beyond the bound fails the stream, or with DROP ends a flowable, and no function is called")
    void refused(Kind kind) {
        withLease(kind, Single.never(), HERE.maxWait(Duration.ZERO)).subscribe(ledger);
        ledger.assertError(RateLimitExceededException.class);
        TestSubscriber<String> dropped = new TestSubscriber<>();
        withLease(kind, Single.never(), HERE.maxWait(Duration.ZERO).onRefused(OnRefused.DROP))
                .subscribe(dropped);
        if (kind == Kind.ONE) {
            dropped.assertError(RateLimitExceededException.class);
        } else {
            dropped.assertComplete();
        }
        assertThat(begun).hasValue(0);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("permits that no limit grants, and a closed limiter, fail the stream; zero permits are granted")
    void impossible(Kind kind) {
        for (int permits : new int[] {-1, ALL + 1}) {
            TestSubscriber<String> impossible = new TestSubscriber<>();
            kind.of(limiter, permits, lease -> Single.never()).subscribe(impossible);
            impossible.assertError(IllegalArgumentException.class);
        }
        kind.of(tokens, 0, lease -> Single.just("of " + lease.permits())).subscribe(ledger);
        ledger.assertValues("of 0");
        limiter.close();
        TestSubscriber<String> closed = new TestSubscriber<>();
        withLease(kind, Single.never()).subscribe(closed);
        closed.assertError(IllegalStateException.class);
    }

    @Test
    @DisplayName("a missing argument is named at once")
    void nulls() {
        assertThatNullPointerException()
                .isThrownBy(() -> RateLimit.withLease(null, 1, lease -> Single.never()))
                .withMessage("limiter");
        assertThatNullPointerException()
                .isThrownBy(() -> RateLimit.withLease(tokens, 1, null))
                .withMessage("call");
        assertThatNullPointerException()
                .isThrownBy(() -> RateLimit.withLease(tokens, 1, lease -> Single.never(), null))
                .withMessage("options");
        assertThatNullPointerException()
                .isThrownBy(() -> RateLimit.withLeaseMany(null, 1, lease -> Flowable.never()))
                .withMessage("limiter");
        assertThatNullPointerException()
                .isThrownBy(() -> RateLimit.withLeaseMany(tokens, 1, null))
                .withMessage("call");
        assertThatNullPointerException()
                .isThrownBy(() -> RateLimit.withLeaseMany(tokens, 1, lease -> Flowable.never(), null))
                .withMessage("options");
    }

    // The stream

    @Test
    @DisplayName("demand from before the grant reaches the call, and no more")
    void demand() {
        TestSubscriber<Integer> slow = new TestSubscriber<>(0);
        RateLimit.withLeaseMany(limiter, ALL, lease -> Flowable.range(1, 10), HERE)
                .subscribe(slow);
        slow.request(3);
        held.giveBack();
        slow.assertValues(1, 2, 3);
        slow.request(2);
        slow.assertValues(1, 2, 3, 4, 5);
        assertThat(left()).as("still called").isZero();
        slow.cancel();
        assertThat(left()).isEqualTo(ALL);
    }

    // Cancelled

    @ParameterizedTest
    @EnumSource
    @DisplayName("cancelled while it waits: it leaves the queue")
    void waiting(Kind kind) {
        withLease(kind, Single.never()).subscribe(ledger);
        assertThat(limiter.statistics().queuedPermits()).isEqualTo(ALL);
        ledger.cancel();
        held.giveBack();
        assertThat(begun).hasValue(0);
        assertEitherOr();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("cancelled while it is called")
    void called(Kind kind) {
        withLease(kind, Single.never()).subscribe(ledger);
        held.giveBack();
        assertThat(begun).hasValue(1);
        ledger.cancel();
        assertEitherOr();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("cancelled as the lease comes, before anybody has seen it")
    void unseen(Kind kind) {
        withLease(kind, Single.never()).subscribe(ledger);
        onAcquired = ledger::cancel;
        held.giveBack();
        assertThat(begun).hasValue(0);
        assertEitherOr();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("cancelled between the grant and the beginning of the call")
    void passing(Kind kind) {
        List<Runnable> tasks = new ArrayList<>();
        withLease(kind, Single.never(), HERE.emitOn(tasks::add)).subscribe(ledger);
        held.giveBack();
        assertThat(tasks).hasSize(1);
        assertThat(limiter.availablePermits()).isZero();
        ledger.cancel();
        tasks.get(0).run();
        assertThat(begun).hasValue(0);
        assertEitherOr();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("cancelled before anything was requested, with permits that are there at once")
    void unrequested(Kind kind) {
        held.giveBack();
        withLease(kind, Single.never()).doOnSubscribe(Subscription::cancel).subscribe(ledger);
        assertThat(begun).hasValue(0);
        assertEitherOr();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("cancelled as the call is made, and as it is subscribed")
    void beginning(boolean made) {
        for (Kind kind : Kind.values()) {
            begun.set(0);
            TestSubscriber<String> cancelled = new TestSubscriber<>();
            kind.of(limiter, ALL, lease -> {
                        begun.incrementAndGet();
                        if (made) {
                            cancelled.cancel();
                        }
                        return Single.defer(() -> {
                            cancelled.cancel();
                            return Single.never();
                        });
                    })
                    .subscribe(cancelled);
            held.giveBack();
            assertThat(begun).hasValue(1);
            assertEitherOr();
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("cancelled by another thread at the moment of the grant")
    void race(Kind kind) {
        held.giveBack();
        try (Race race = new Race()) {
            for (int round = 0; round < 2_000; round++) {
                begun.set(0);
                Lease before = limiter.tryAcquire(ALL);
                Disposable racing = withLease(kind, Single.never()).subscribe();
                race.run(before::giveBack, racing::dispose);
                assertEitherOr();
            }
        }
    }
}
