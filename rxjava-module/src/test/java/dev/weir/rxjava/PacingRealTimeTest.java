package dev.weir.rxjava;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.EmissionTimes;
import dev.weir.time.TimeSource;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Observable;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** On the clock of the machine and the computation scheduler. */
class PacingRealTimeTest {

    @Test
    @DisplayName("a thousand a second: never more in any second, and no more than 5 % of the time is lost")
    void aThousandASecond() {
        EmissionTimes emitted = EmissionTimes.record(TimeSource.system());
        Flowable.range(0, 2000)
                .compose(RateLimit.of(100, ofMillis(100)))
                .doOnNext(item -> emitted.add())
                .test()
                .awaitDone(30, TimeUnit.SECONDS)
                .assertValueCount(2000)
                .assertComplete();
        List<Duration> times = emitted.sinceFirst();
        // The permit counts from the moment before the element goes: a thread may be held up in between.
        emitted.neverExceeds(100, ofMillis(95));
        assertThat(times.get(1999)).isBetween(ofMillis(1895), ofMillis(1995));
    }

    @Test
    @DisplayName("an observable, ten thousand a second")
    void tenThousandASecond() {
        EmissionTimes emitted = EmissionTimes.record(TimeSource.system());
        Observable.range(0, 1000)
                .compose(RateLimit.of(100, ofMillis(10)))
                .doOnNext(item -> emitted.add())
                .test()
                .awaitDone(30, TimeUnit.SECONDS)
                .assertValueCount(1000)
                .assertComplete();
        assertThat(emitted.sinceFirst().get(999)).isBetween(ofMillis(89), ofSeconds(1));
    }
}
