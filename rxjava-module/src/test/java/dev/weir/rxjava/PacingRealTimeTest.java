package dev.weir.rxjava;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.testkit.EmissionTimes;
import dev.weir.testkit.PermitLedger;
import dev.weir.time.TimeSource;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Observable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** On the clock of the machine and the computation scheduler. What is too early is a fault; what is late may be the machine. */
class PacingRealTimeTest {

    private final PermitLedger ledger = new PermitLedger();
    private final EmissionTimes emitted = EmissionTimes.record(TimeSource.system());

    @Test
    @DisplayName(
            "a flowable at a thousand a second: as the limiter stamps them, never more in any interval, and not much"
                    + " later")
    void aThousandASecond() {
        Flowable.range(0, 2000)
                .compose(RateLimit.of(ledger.watching(Limit.of(100, ofMillis(100)))))
                .doOnNext(item -> emitted.add())
                .test()
                .awaitDone(30, TimeUnit.SECONDS)
                .assertValueCount(2000)
                .assertComplete();
        ledger.grantTimes().neverExceeds(100, ofMillis(100));
        assertThat(emitted.sinceFirst().get(1999)).isBetween(ofMillis(1800), ofSeconds(6));
    }

    @Test
    @DisplayName("an observable at ten thousand a second")
    void tenThousandASecond() {
        Observable.range(0, 1000)
                .compose(RateLimit.of(ledger.watching(Limit.of(100, ofMillis(10)))))
                .doOnNext(item -> emitted.add())
                .test()
                .awaitDone(30, TimeUnit.SECONDS)
                .assertValueCount(1000)
                .assertComplete();
        assertThat(ledger.granted()).isGreaterThanOrEqualTo(1000);
        ledger.grantTimes().neverExceeds(100, ofMillis(10));
        assertThat(emitted.sinceFirst().get(999)).isLessThan(ofSeconds(10));
    }
}
