package dev.weir.rxjava;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.observers.TestObserver;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Leases that a program asks for itself, in place of {@code withLease}: some are lost when the call is disposed of. */
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

    /** Ways to hold a lease while a call is made. */
    private enum Form {
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

    @ParameterizedTest
    @EnumSource
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
