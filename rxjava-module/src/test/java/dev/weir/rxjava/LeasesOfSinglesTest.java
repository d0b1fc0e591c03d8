package dev.weir.rxjava;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.observers.TestObserver;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Leases that a program asks for itself, as the recipe for language models does. */
class LeasesOfSinglesTest {

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final RateLimiter budget =
            RateLimiter.builder(Limit.of(2, ofSeconds(1))).timeSource(time).build();
    private final Single<Lease> two = permits(2);

    private Single<Lease> permits(int estimate) {
        return Single.create(answer -> answer.setCancellable(budget.acquire(estimate, lease -> {
            if (answer.isDisposed()) {
                lease.giveBack();
            } else {
                answer.onSuccess(lease);
            }
        })::cancel));
    }

    @Test
    @DisplayName("a lease comes when it is due")
    void comes() {
        TestObserver<Lease> first = two.test();
        TestObserver<Lease> second = two.test();
        first.assertValue(Lease::isAcquired);
        second.assertNotComplete();
        time.advanceBy(ofSeconds(1));
        second.assertValue(Lease::isAcquired);
    }

    @Test
    @DisplayName("disposing leaves the queue")
    void leaves() {
        two.test().assertComplete();
        Disposable waiting = two.subscribe();
        assertThat(budget.statistics().queuedPermits()).isEqualTo(2);
        waiting.dispose();
        assertThat(budget.statistics().queuedPermits()).isZero();
        time.advanceBy(ofSeconds(1));
        assertThat(budget.availablePermits()).isEqualTo(2);
    }

    @Test
    @DisplayName("a lease that was granted already when its single was disposed goes back")
    void goesBack() {
        two.test().assertComplete();
        TestObserver<Lease> either = Single.ambArray(permits(1), permits(1)).test();
        time.advanceBy(ofSeconds(1));
        either.assertValue(Lease::isAcquired);
        assertThat(budget.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("disposing what was made of a future does not")
    void stays() {
        two.test().assertComplete();
        Disposable waiting = Single.fromCompletionStage(budget.acquire(2)).subscribe();
        waiting.dispose();
        assertThat(budget.statistics().queuedPermits()).isEqualTo(2);
    }

    @Test
    @DisplayName("what a limiter throws at a request goes to the observer")
    void errors() {
        budget.close();
        two.test().assertError(IllegalStateException.class);
    }
}
