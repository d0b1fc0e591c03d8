package dev.weir.webflux;

import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The client's half of the rules meets the server's half; at a distance that a busy machine may need. */
class ClientAndServerRealTimeTest {

    @Test
    @DisplayName("after the first answer the client never meets a refusal, and when the quota is halved it follows")
    void follows() {
        try (ClientAndServerRun run = new ClientAndServerRun(Limit.of(200, ofSeconds(2)), 75)) {
            run.startUp();
            assertThat(run.pace().limit()).isEqualTo(Limit.leakyBucket(75, ofSeconds(1)));
            run.run(ofSeconds(2));
            assertThat(run.refused()).isZero();
            assertThat(run.served()).isGreaterThan(20);

            run.quota().reconfigure(Limit.of(100, ofSeconds(2)));
            run.run(ofSeconds(2));
            assertThat(run.pace().limit()).isEqualTo(Limit.leakyBucket(38, ofNanos(1_013_333_334)));
            int refusedWhileFollowing = run.refused();
            run.run(ofSeconds(2));
            assertThat(run.refused()).isEqualTo(refusedWhileFollowing);
        }
    }
}
