package dev.weir.webflux;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.springframework.http.HttpStatus.OK;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A request asks no limiter twice, or it would wait for itself. */
class DuplicateLimiterTest {

    private final RateLimiter api =
            RateLimiter.builder(Limit.of(9, ofMinutes(1))).name("api").build();

    @Test
    @DisplayName(
            "a limit that was added twice, be it in a chain, is found when the filter is made and not by a request")
    void addedTwice() {
        RateLimitWebFilter.Builder twice =
                RateLimitWebFilter.builder().limit(api).protect(api);
        RequestLimits.Builder inChain = RequestLimits.builder().limit(api).limit(RateLimiter.chain(api));
        assertThatIllegalArgumentException().isThrownBy(twice::build).withMessageContaining("api");
        assertThatIllegalArgumentException().isThrownBy(inChain::build).withMessageContaining("api");
    }

    @Test
    @DisplayName("a request whose keys lead to the same limiter pays there once, with a key or without")
    void keysThatAreEqual() {
        PartitionedRateLimiter<String> limiters = PartitionedRateLimiter.of(Limit.of(9, ofMinutes(1)));
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(RequestKey.header("X-From"), limiters)
                .limit(RequestKey.header("X-For"), limiters)
                .build();

        assertThat(Requests.status(filter, Requests.get("/"))).isEqualTo(OK);
        assertThat(limiters.forKey(LimitSource.NO_KEY).availablePermits()).isEqualTo(8);
        assertThat(Requests.status(filter, Requests.from("192.0.2.1", "X-For", "ada")))
                .isEqualTo(OK);
        assertThat(limiters.forKey("ada").availablePermits()).isEqualTo(8);
        assertThat(limiters.forKey(LimitSource.NO_KEY).availablePermits()).isEqualTo(7);
    }
}
