package dev.weir.webflux;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Takes half a minute and a machine with nothing else to do, so it runs by name only. */
class ShareOfQuotaRealTime {

    @Test
    @DisplayName("at 99 % of what the server's exact window admits, thirty seconds without a refusal")
    void noRefusal() {
        try (ClientAndServerRun run = new ClientAndServerRun(Limit.of(1_000, ofSeconds(10)), 99)) {
            run.startUp();
            run.run(ofSeconds(30));

            System.out.printf("%d served, %d refused in 30 s at 99 of 100 a second%n", run.served(), run.refused());
            assertThat(run.refused()).isZero();
            assertThat(run.served()).isGreaterThan(2_800);
        }
    }
}
