package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.util.RaceTestUtils;

/**
 * Leases that a program asks for itself, as the recipe for language models does. Whenever the call is cancelled, either it has the
 * lease, and closes it, or the permits are back as if they had never been taken.
 */
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
        RECIPE {
            @Override
            @SuppressWarnings("FutureReturnValueIgnored") // giveBack does not throw
            Mono<String> of(LeasesOfMonosTest test, Function<Lease, Mono<String>> call) {
                return Mono.using(
                        () -> new AtomicReference<>(test.acquire()),
                        asked -> Mono.fromFuture(asked.get())
                                .filter(lease -> asked.getAndSet(null) != null)
                                .flatMap(lease -> Mono.using(() -> lease, call, Lease::close)),
                        asked -> Optional.ofNullable(asked.getAndSet(null))
                                .ifPresent(unseen -> unseen.thenAccept(Lease::giveBack)));
            }
        },
        RECIPE_IN_PARTS {
            @Override
            @SuppressWarnings("FutureReturnValueIgnored") // giveBack does not throw
            Mono<String> of(LeasesOfMonosTest test, Function<Lease, Mono<String>> call) {
                return Flux.using(
                                () -> new AtomicReference<>(test.acquire()),
                                asked -> Mono.fromFuture(asked.get())
                                        .filter(lease -> asked.getAndSet(null) != null)
                                        .flatMapMany(lease -> Flux.using(() -> lease, call, Lease::close)),
                                asked -> Optional.ofNullable(asked.getAndSet(null))
                                        .ifPresent(unseen -> unseen.thenAccept(Lease::giveBack)))
                        .next();
            }
        },
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

    @AfterEach
    void restore() {
        Hooks.resetOnEachOperator();
    }

    @ParameterizedTest
    @EnumSource(names = {"RECIPE", "RECIPE_IN_PARTS"})
    @DisplayName("the lease is out as long as the call, and then its permits are spent")
    void spent(Form form) {
        withLease(form, Mono.fromCallable(() -> "left " + left())).subscribe(ledger);
        held.giveBack();
        assertThat(ledger.received()).as("a period later, within the call").containsExactly("left 0");
        assertThat(left()).isEqualTo(ALL);
    }

    @ParameterizedTest
    @EnumSource(names = {"RECIPE", "RECIPE_IN_PARTS"})
    @DisplayName("a call that fails, or cannot even be made, closes its lease")
    void failed(Form form) {
        held.giveBack();
        withLease(form, Mono.error(() -> new IllegalStateException("on purpose")))
                .subscribe(ledger);
        assertThat(ledger.error).hasMessage("on purpose");
        assertThat(left()).isEqualTo(ALL);
        Ledger<String> second = Ledger.unbounded();
        form.of(this, lease -> {
                    throw new IllegalStateException("at once");
                })
                .subscribe(second);
        assertThat(second.error).hasMessage("at once");
        assertThat(left()).isEqualTo(ALL);
    }

    @ParameterizedTest
    @EnumSource(names = {"RECIPE", "RECIPE_IN_PARTS"})
    @DisplayName("what a limiter throws at a request goes to the subscriber")
    void closed(Form form) {
        limiter.close();
        withLease(form, Mono.never()).subscribe(ledger);
        assertThat(ledger.error).isInstanceOf(IllegalStateException.class);
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

    // Cancelled at the grant

    private void cancelAtTheGrant(Mono<String> call) {
        call.subscribe(ledger);
        CompletableFuture<Lease> unused = // the latest stage of a future runs first
                asked.whenComplete((lease, error) -> ledger.cancel());
        held.giveBack();
        assertThat(begun).hasValue(0);
    }

    @ParameterizedTest
    @EnumSource(names = {"RECIPE", "RECIPE_IN_PARTS"})
    @DisplayName("cancelled as the lease comes, before anybody has seen it")
    void unseen(Form form) {
        cancelAtTheGrant(withLease(form, Mono.never()));
        assertEitherOr();
    }

    @ParameterizedTest
    @EnumSource(names = {"RECIPE", "RECIPE_IN_PARTS"})
    @DisplayName("cancelled before anything was requested, with a lease that was there at once")
    void unrequested(Form form) {
        held.giveBack();
        withLease(form, Mono.never()).doOnSubscribe(Subscription::cancel).subscribe(ledger);
        assertEitherOr();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @DisplayName("cancelled as the lease passes from operator to operator")
    void passing(int operator) {
        AtomicInteger passed = new AtomicInteger();
        peekEverywhere(value -> {
            if (value instanceof Lease && passed.incrementAndGet() == operator) {
                ledger.cancel();
            }
        });
        withLease(Form.RECIPE, Mono.never()).subscribe(ledger);
        held.giveBack();
        assertThat(passed).hasValueGreaterThanOrEqualTo(operator);
        assertEitherOr();
    }

    /** Puts an operator behind each that is assembled from now on. */
    private static void peekEverywhere(Consumer<Object> peek) {
        AtomicBoolean ownOperator = new AtomicBoolean();
        Hooks.onEachOperator(operator -> {
            if (!(operator instanceof Mono<Object> source) || !ownOperator.compareAndSet(false, true)) {
                return operator;
            }
            Mono<Object> peeked = source.doOnNext(peek);
            ownOperator.set(false);
            return peeked;
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"RECIPE", "RECIPE_IN_PARTS"})
    @DisplayName("cancelled as the call is subscribed, and as it is made")
    void beginning(Form form) {
        withLease(form, Mono.defer(() -> {
                    ledger.cancel();
                    return Mono.never();
                }))
                .subscribe(ledger);
        held.giveBack();
        assertThat(begun).hasValue(1);
        assertEitherOr();

        Ledger<String> second = Ledger.unbounded();
        form.of(this, lease -> {
                    second.cancel();
                    return Mono.never();
                })
                .subscribe(second);
        assertEitherOr();
    }

    @ParameterizedTest
    @EnumSource(names = {"RECIPE", "RECIPE_IN_PARTS"})
    @DisplayName("cancelled by another thread at the moment of the grant")
    void race(Form form) {
        Scheduler racers = Schedulers.newBoundedElastic(32, 100, "race");
        held.giveBack();
        for (int round = 0; round < 2_000; round++) {
            begun.set(0);
            Lease before = limiter.tryAcquire(ALL);
            Ledger<String> racing = Ledger.unbounded();
            withLease(form, Mono.never()).subscribe(racing);
            RaceTestUtils.race(racers, before::giveBack, racing::cancel);
            assertEitherOr();
        }
        racers.dispose();
    }

    // What is not enough

    @ParameterizedTest
    @EnumSource(names = {"FLAT_MAP", "USING_WHEN"})
    @DisplayName("without more, a lease that comes as the stream is cancelled is lost for good")
    void lost(Form form) {
        cancelAtTheGrant(withLease(form, Mono.never()));
        assertThat(left()).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"FLAT_MAP", "USING_WHEN"})
    @DisplayName("a hook gives it back")
    void hookHears(Form form) {
        cancelAtTheGrant(withLease(form, Mono.never()).doOnDiscard(Lease.class, Lease::giveBack));
        assertEitherOr();
    }

    @ParameterizedTest
    @EnumSource(names = {"FLAT_MAP", "USING_WHEN"})
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
