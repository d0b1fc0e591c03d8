package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.limit.Limit;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Errors that leave no room for a pass, as when the stack of a caller overflows: the drain must not be closed to all others. */
class DrainLeftByErrorsTest {

    private final SteppedTime time = new SteppedTime(0);
    private final List<Lease> granted = new ArrayList<>();
    private boolean isStackExhausted;
    private RateLimiter limiter;
    private PermitDrain drain;
    private Lease held;

    @BeforeEach
    void somebodyWaits() {
        limiter = RateLimiter.builder(Limit.concurrency(1)).timeSource(time).build();
        held = limiter.tryAcquire();
        drain = new PermitDrain(overflowing((PermitSource) limiter));
        drain.enter(drain.newWaiter(1, PermitEngine.UNBOUNDED, false, time.nanoTime(), granted::add));
        assertThat(granted).isEmpty();

        isStackExhausted = true;
        assertThatExceptionOfType(StackOverflowError.class).isThrownBy(drain::signal);
        isStackExhausted = false;
    }

    /** Overflows outside of what a pass expects to fail: before the pass, where there is no handler yet. */
    private PermitSource overflowing(PermitSource source) {
        return (PermitSource) Proxy.newProxyInstance(
                PermitSource.class.getClassLoader(),
                new Class<?>[] {PermitSource.class},
                (proxy, method, arguments) -> {
                    if (isStackExhausted && method.getName().equals("isSteady")) {
                        throw new StackOverflowError();
                    }
                    return method.invoke(source, arguments);
                });
    }

    @Test
    @DisplayName("the next signal serves those who wait")
    void nextSignal() {
        held.close();
        drain.signal();
        assertThat(granted).hasSize(1).allMatch(Lease::isAcquired);
    }

    @Test
    @DisplayName("without another signal the timer serves them, as the failed pass may have been the only one")
    void noOtherSignal() {
        held.close();
        time.advanceBy(HeadAlarm.LOST_NANOS);
        assertThat(granted).hasSize(1).allMatch(Lease::isAcquired);
    }
}
