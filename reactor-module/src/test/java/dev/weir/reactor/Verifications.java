package dev.weir.reactor;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import java.time.Duration;
import reactor.core.publisher.Flux;

/** The ways in which permits may come. */
final class Verifications {

    private Verifications() {}

    /** Permits are always there, and the source is fused. */
    public static final class Instant extends RateLimitVerification {

        @Override
        Flux<Integer> limited(Flux<Integer> source) {
            return source.transform(RateLimit.of(Limit.unlimited()));
        }
    }

    /** Every permit has to be waited for. */
    public static final class Paced extends RateLimitVerification {

        @Override
        Flux<Integer> limited(Flux<Integer> source) {
            return source.hide().transform(RateLimit.of(1, Duration.ofMillis(1)));
        }
    }

    /** One limiter for all publishers of the class, whose permits have to be waited for. */
    public static final class Shared extends RateLimitVerification {

        private final RateLimiter limiter = RateLimiter.of(1, Duration.ofNanos(100_000));

        @Override
        Flux<Integer> limited(Flux<Integer> source) {
            return source.transform(
                    RateLimit.with(limiter, StreamOptions.defaults().prefetch(4)));
        }
    }

    /** The subscription is gated. */
    public static final class Call extends RateLimitVerification {

        private final RateLimiter limiter = RateLimiter.of(5, Duration.ofMillis(5));

        @Override
        Flux<Integer> limited(Flux<Integer> source) {
            return source.transform(RateLimit.perSubscription(limiter));
        }
    }
}
