package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Mono;

/** Leases that a program asks for itself, in place of {@code withLease}: some are lost when the call is cancelled. */
class LeasesOfMonosTest {

    private static final int ALL = 3;
    private static final Duration PERIOD = Duration.ofHours(1);

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final RateLimiter limiter = RateLimiter.builder(Limit.allOf(Limit.of(ALL, PERIOD), Limit.concurrency(ALL)))
            .timeSource(time)
            .build();
    private final Lease held = limiter.tryAcquire(ALL);
    private final Ledger<String> ledger = Ledger.unbounded();
    private final AtomicInteger begun = new AtomicInteger();
    private volatile CompletableFuture<Lease> asked = new CompletableFuture<>();

    /** Ways to hold a lease while a call is made. */
    private enum Form {
        FLAT_MAP {
            @Override
            Mono<String> of(LeasesOfMonosTest test, Function<Lease, Mono<String>> call) {
                return Mono.fromFuture(test::acquire)
                        .flatMap(lease -> call.apply(lease).doFinally(end -> lease.close()));
            }
        },
        USING_WHEN {
            @Override
            Mono<String> of(LeasesOfMonosTest test, Function<Lease, Mono<String>> call) {
                return Mono.usingWhen(Mono.fromFuture(test::acquire), call, lease -> Mono.fromRunnable(lease::close));
            }
        };

        abstract Mono<String> of(LeasesOfMonosTest test, Function<Lease, Mono<String>> call);
    }

    private CompletableFuture<Lease> acquire() {
        asked = limiter.acquire(ALL);
        return asked;
    }

    private Mono<String> withLease(Form form, Mono<String> call) {
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
    @DisplayName("cancelled while it waits: it leaves the queue")
    void waiting(Form form) {
        withLease(form, Mono.never()).subscribe(ledger);
        assertThat(limiter.statistics().queuedPermits()).isEqualTo(ALL);
        ledger.cancel();
        held.giveBack();
        assertEitherOr();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("cancelled while it is called")
    void called(Form form) {
        withLease(form, Mono.never()).subscribe(ledger);
        held.giveBack();
        assertThat(begun).hasValue(1);
        ledger.cancel();
        assertEitherOr();
    }

    private void cancelAtTheGrant(Mono<String> call) {
        call.subscribe(ledger);
        CompletableFuture<Lease> unused = // the latest stage of a future runs first
                asked.whenComplete((lease, error) -> ledger.cancel());
        held.giveBack();
        assertThat(begun).hasValue(0);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a lease that comes as the stream is cancelled is lost for good")
    void lost(Form form) {
        cancelAtTheGrant(withLease(form, Mono.never()));
        assertThat(left()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a hook gives it back")
    void hookHears(Form form) {
        cancelAtTheGrant(withLease(form, Mono.never()).doOnDiscard(Lease.class, Lease::giveBack));
        assertEitherOr();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("but no hook hears of a lease that was cancelled before it was requested")
    void hookDoesNotHear(Form form) {
        held.giveBack();
        withLease(form, Mono.never())
                .doOnDiscard(Lease.class, Lease::giveBack)
                .doOnSubscribe(Subscription::cancel)
                .subscribe(ledger);
        assertThat(begun).hasValue(0);
        assertThat(left()).isZero();
    }
}
