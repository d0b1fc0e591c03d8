package dev.weir.webflux;

import dev.weir.RateLimiter;
import java.time.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.web.reactive.function.client.ClientResponse;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** Applies what a response advises to the limiter of its request: a pause, and policies where they are followed. */
final class AdviceFollower {

    private final Duration maxPause;
    private final Clock clock;
    private final @Nullable PolicyFollower policies;

    AdviceFollower(Duration maxPause, Clock clock, @Nullable PolicyFollower policies) {
        this.maxPause = maxPause;
        this.clock = clock;
        this.policies = policies;
    }

    /** The response is none the worse for advice that cannot be followed: that is reported, as it cannot be told from a fault. */
    void follow(ClientResponse response, RateLimiter limiter) {
        try {
            ServerAdvice advice = ServerAdvice.of(
                    response.statusCode().value(), response.headers().asHttpHeaders(), clock);
            apply(advice, limiter);
        } catch (RuntimeException notFollowed) {
            Operators.onErrorDropped(notFollowed, Context.empty());
        }
    }

    private void apply(ServerAdvice advice, RateLimiter limiter) {
        try {
            pauseAndFollow(advice, limiter);
        } catch (IllegalStateException closed) {
            // The limiter has been closed in the meantime, which does not concern the response.
        }
    }

    private void pauseAndFollow(ServerAdvice advice, RateLimiter limiter) {
        try {
            advice.pause().ifPresent(pause -> limiter.pauseFor(pause.compareTo(maxPause) > 0 ? maxPause : pause));
        } finally {
            if (policies != null) {
                policies.follow(advice.policies());
            }
        }
    }
}
