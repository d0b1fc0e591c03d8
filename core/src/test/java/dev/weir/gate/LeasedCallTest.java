package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Functions that make a call. */
class LeasedCallTest {

    private final RateLimiter limiter = RateLimiter.of(Limit.of(1, Duration.ofDays(1)));
    private final LeasedCall<Object, IOException> failing = lease -> {
        throw new IOException("on purpose");
    };

    @AfterEach
    void restore() {
        Thread.currentThread().setUncaughtExceptionHandler(null);
    }

    @Test
    @DisplayName("a call that is made keeps the lease; a function that fails gives it back")
    void madeOrNot() throws IOException {
        LeasedCall<Object, IOException> made = lease -> "call of " + lease.permits();
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> failing.makeOrGiveBack(limiter.tryAcquire()))
                .withMessage("on purpose");
        assertThat(limiter.availablePermits()).isOne();
        assertThat(limiter.statistics().acquired()).isZero();
        assertThat(made.makeOrGiveBack(limiter.tryAcquire())).isEqualTo("call of 1");
        assertThat(limiter.availablePermits()).isZero();
    }

    @Test
    @DisplayName("a limiter that throws as it takes the lease back does not hide why there is no call")
    void hostile() {
        List<String> uncaught = new ArrayList<>();
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> uncaught.add(thrown.getMessage()));
        Lease hostile = (Lease) Proxy.newProxyInstance(
                Lease.class.getClassLoader(), new Class<?>[] {Lease.class}, (proxy, method, arguments) -> {
                    throw new IllegalStateException("hostile");
                });
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> failing.makeOrGiveBack(hostile))
                .withMessage("on purpose");
        assertThat(uncaught).containsExactly("hostile");
    }
}
