package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.ParallelFlux;
import reactor.core.scheduler.Schedulers;

/** The rails of a parallel flux. */
class ParallelRailsTest {

    private final ParallelFlux<Integer> twoRails =
            Flux.range(0, 100).parallel(2).runOn(Schedulers.immediate());

    @Test
    @DisplayName("each rail has an own limiter")
    void ownLimiters() {
        Ledger<Integer> ledger = Ledger.unbounded();
        twoRails.transformGroups(RateLimit.of(3, Duration.ofHours(1)))
                .sequential()
                .subscribe(ledger);
        assertThat(ledger.received()).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5);
        ledger.cancel();
    }
}
