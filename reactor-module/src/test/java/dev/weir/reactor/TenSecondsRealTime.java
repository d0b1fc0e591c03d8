package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.testkit.PermitLedger;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/**
 * Ten seconds at full rate. Needs a machine with nothing else to do, so it is run by name, as docs/testing.md says, and not in
 * every build.
 */
class TenSecondsRealTime {

    private static final int SECONDS = 10;

    @ParameterizedTest
    @ValueSource(ints = {1_000, 10_000})
    @DisplayName("the limit is reached to 99.5 %, and no window holds more, as the limiter stamps its grants")
    void reachesTheLimit(int perSecond) {
        PermitLedger ledger = new PermitLedger();
        int elements = (SECONDS + 1) * perSecond;
        long[] stamps = new long[elements];
        Flux.range(0, elements)
                .transform(RateLimit.of(ledger.watching(Limit.of(perSecond, Duration.ofSeconds(1)))))
                .doOnNext(i -> stamps[i] = System.nanoTime())
                .blockLast(Duration.ofSeconds(3 * SECONDS));
        double seconds = (stamps[elements - 1] - stamps[0]) / 1e9;
        double reached = (elements - perSecond) / seconds / perSecond;
        System.out.printf("%,d a second: %.3f %% of the limit over %.2f s%n", perSecond, 100 * reached, seconds);

        ledger.grantTimes().neverExceeds(perSecond, Duration.ofSeconds(1));
        assertThat(reached).isBetween(0.995, 1.001);
    }
}
