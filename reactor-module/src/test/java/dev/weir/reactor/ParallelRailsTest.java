package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.stream.StreamOptions;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.ParallelFlux;
import reactor.core.scheduler.Schedulers;

/** The rails of a parallel flux. */
class ParallelRailsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final StreamOptions HERE = StreamOptions.defaults().emitOn(Runnable::run);

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final RateLimiter limiter = Ledger.limiter(time, 1, SECOND);
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

    @Test
    @DisplayName("calls inside the groups: a permit is taken only when there is room for the call")
    void callsInsideTheGroups() {
        twoRails.transformGroups(
                        rail -> rail.transform(RateLimit.with(limiter, HERE)).flatMap(i -> Mono.never(), 1))
                .subscribe();
        time.advanceBy(SECOND.multipliedBy(50));
        assertThat(limiter.statistics().acquired()).as("one call for each rail").isEqualTo(2);
    }

    @Test
    @DisplayName("calls behind the groups: elements are read ahead, so permits are taken as they come")
    void callsBehindTheGroups() {
        twoRails.transformGroups(RateLimit.with(limiter, HERE))
                .flatMap(i -> Mono.never(), false, 1)
                .subscribe();
        time.advanceBy(SECOND.multipliedBy(50));
        assertThat(limiter.statistics().acquired()).isEqualTo(51);
    }
}
