package dev.weir.rxjava;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.EnumSource.Mode.EXCLUDE;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.observers.TestObserver;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Leases that a program asks for itself, as the recipe for language models does. Whenever the call is disposed of, either it has the
 * lease, and closes it, or the permits are back as if they had never been taken.
 */
class LeasesOfSinglesTest {

    private static final int ALL = 3;
    private static final Duration PERIOD = Duration.ofHours(1);

    @RegisterExtension
    final Plugins plugins = Plugins.withRealTime();

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final RateLimiter limiter = RateLimiter.builder(Limit.allOf(Limit.of(ALL, PERIOD), Limit.concurrency(ALL)))
            .timeSource(time)
            .build();
    private final Lease held = limiter.tryAcquire(ALL);
    private final TestObserver<String> seen = new TestObserver<>();
    private final AtomicInteger begun = new AtomicInteger();
    private volatile CompletableFuture<Lease> asked = new CompletableFuture<>();

    /** Ways to hold a lease while a call is made. */
    private enum Form {
        RECIPE {
            @Override
            @SuppressWarnings("FutureReturnValueIgnored") // giveBack does not throw
            Single<String> of(LeasesOfSinglesTest test, Function<Lease, Single<String>> call) {
                return Single.using(
                        () -> new AtomicReference<>(test.acquire()),
                        asked -> Single.fromCompletionStage(asked.get())
                                .flatMap(granted ->
                                        Single.using(() -> asked.getAndSet(null).join(), call::apply, Lease::close)),
                        asked -> Optional.ofNullable(asked.getAndSet(null)).ifPresent(unseen -> {
                            unseen.cancel(false);
                            unseen.thenAccept(Lease::giveBack);
                        }));
            }
        },
        FINALLY {
            @Override
            Single<String> of(LeasesOfSinglesTest test, Function<Lease, Single<String>> call) {
                return test.created().flatMap(lease -> call.apply(lease).doFinally(lease::close));
            }
        },
        USING {
            @Override
            Single<String> of(LeasesOfSinglesTest test, Function<Lease, Single<String>> call) {
                return test.created().flatMap(lease -> Single.using(() -> lease, call::apply, Lease::close));
            }
        };

        abstract Single<String> of(LeasesOfSinglesTest test, Function<Lease, Single<String>> call);
    }

    private CompletableFuture<Lease> acquire() {
        asked = limiter.acquire(ALL);
        return asked;
    }

    private Single<Lease> created() {
        return Single.create(answer -> answer.setCancellable(limiter.acquire(ALL, lease -> {
            if (answer.isDisposed()) {
                lease.giveBack();
            } else {
                answer.onSuccess(lease);
            }
        })::cancel));
    }

    private Single<String> withLease(Form form, Single<String> call) {
        return form.of(this, lease -> {
            begun.incrementAndGet();
            return call;
        });
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

    @Test
    @DisplayName("the lease is out as long as the call, and then its permits are spent")
    void spent() {
        withLease(Form.RECIPE, Single.fromCallable(() -> "left " + left())).subscribe(seen);
        held.giveBack();
        seen.assertResult("left 0"); // a period later, within the call
        assertThat(left()).isEqualTo(ALL);
    }

    @Test
    @DisplayName("a call that fails, or cannot even be made, closes its lease")
    void failed() {
        held.giveBack();
        IllegalStateException onPurpose = new IllegalStateException("on purpose");
        withLease(Form.RECIPE, Single.error(onPurpose)).test().assertError(onPurpose);
        assertThat(left()).isEqualTo(ALL);
        Form.RECIPE
                .of(this, lease -> {
                    throw onPurpose;
                })
                .test()
                .assertError(onPurpose);
        assertThat(left()).isEqualTo(ALL);
    }

    @Test
    @DisplayName("what a limiter throws at a request goes to the observer")
    void closed() {
        limiter.close();
        withLease(Form.RECIPE, Single.never()).test().assertError(IllegalStateException.class);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("disposed of while it waits: it leaves the queue")
    void waiting(Form form) {
        withLease(form, Single.never()).subscribe(seen);
        assertThat(limiter.statistics().queuedPermits()).isEqualTo(ALL);
        seen.dispose();
        held.giveBack();
        assertEitherOr();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("disposed of while it is called")
    void called(Form form) {
        withLease(form, Single.never()).subscribe(seen);
        held.giveBack();
        assertThat(begun).hasValue(1);
        seen.dispose();
        assertEitherOr();
    }

    @Test
    @DisplayName("disposed of as the lease comes, before anybody has seen it")
    void unseen() {
        withLease(Form.RECIPE, Single.never()).subscribe(seen);
        CompletableFuture<Lease> unused = // the latest stage of a future runs first
                asked.whenComplete((lease, error) -> seen.dispose());
        held.giveBack();
        assertThat(begun).hasValue(0);
        assertEitherOr();
    }

    @Test
    @DisplayName("disposed of before, with a lease that is there at once")
    void before() {
        held.giveBack();
        seen.dispose();
        withLease(Form.RECIPE, Single.never()).subscribe(seen);
        assertEitherOr();
    }

    @Test
    @DisplayName("disposed of as the lease passes from operator to operator")
    void passing() {
        disposeAsALeasePasses();
        withLease(Form.RECIPE, Single.never()).subscribe(seen);
        held.giveBack();
        assertThat(seen.isDisposed()).isTrue();
        assertThat(begun).hasValue(0);
        assertEitherOr();
    }

    /** Puts an operator behind each that is assembled from now on. */
    private void disposeAsALeasePasses() {
        Consumer<Object> dispose = value -> {
            if (value instanceof Lease) {
                seen.dispose();
            }
        };
        AtomicBoolean ownOperator = new AtomicBoolean();
        RxJavaPlugins.setOnSingleAssembly(operator -> {
            if (!ownOperator.compareAndSet(false, true)) {
                return operator;
            }
            Single<?> source = operator;
            Single<?> peeked = source.doOnSuccess(dispose::accept);
            ownOperator.set(false);
            return peeked;
        });
    }

    @Test
    @DisplayName("disposed of as the call is made, and as it is subscribed")
    void beginning() {
        Form.RECIPE
                .of(this, lease -> {
                    begun.incrementAndGet();
                    seen.dispose();
                    return Single.never();
                })
                .subscribe(seen);
        held.giveBack();
        assertThat(begun).hasValue(1);
        assertEitherOr();

        TestObserver<String> second = new TestObserver<>();
        withLease(Form.RECIPE, Single.defer(() -> {
                    second.dispose();
                    return Single.never();
                }))
                .subscribe(second);
        assertThat(begun).hasValue(2);
        assertEitherOr();
    }

    @Test
    @DisplayName("disposed of by another thread at the moment of the grant")
    void race() {
        held.giveBack();
        try (Race race = new Race()) {
            for (int round = 0; round < 2_000; round++) {
                begun.set(0);
                Lease before = limiter.tryAcquire(ALL);
                Disposable racing = withLease(Form.RECIPE, Single.never()).subscribe();
                race.run(before::giveBack, racing::dispose);
                assertEitherOr();
            }
        }
    }

    // What is not enough

    @ParameterizedTest
    @EnumSource(mode = EXCLUDE, names = "RECIPE")
    @DisplayName(
            "a lease that passes as the stream is disposed of is lost for good: flatMap does not subscribe to the call")
    void lost(Form form) {
        disposeAsALeasePasses();
        withLease(form, Single.never()).subscribe(seen);
        held.giveBack();
        assertThat(seen.isDisposed()).isTrue();
        assertThat(left()).isZero();
    }

    @Test
    @DisplayName("disposing of what was made of a future does not cancel the future")
    void stays() {
        Single.fromCompletionStage(limiter.acquire(ALL)).subscribe().dispose();
        assertThat(limiter.statistics().queuedPermits()).isEqualTo(ALL);
    }
}
