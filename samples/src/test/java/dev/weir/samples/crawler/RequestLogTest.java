package dev.weir.samples.crawler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestLogTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MIN_VALUE, Long.MAX_VALUE - 1_500_000_000})
    void countsTheFullestIntervalWhereverItBegins(long origin) {
        VirtualTimeSource clock = new VirtualTimeSource(origin);
        RequestLog log = new RequestLog(clock);
        assertThat(log.mostInAny(SECOND)).isZero();

        for (int millis : new int[] {0, 600, 300, 100, 0}) { // at 0, 600, 900, 1000 and 1000 ms
            clock.advanceBy(Duration.ofMillis(millis));
            log.add("/" + log.entries().size());
        }

        assertThat(log.entries()).extracting(RequestLog.Entry::page).containsExactly("/0", "/1", "/2", "/3", "/4");
        assertThat(log.mostInAny(SECOND)).isEqualTo(4); // the first is exactly one second before the last
        assertThat(log.mostInAny(SECOND.plusNanos(1))).isEqualTo(5);
        assertThat(log.mostInAny(Duration.ofMillis(100))).isEqualTo(2);
    }
}
