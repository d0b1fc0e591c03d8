package dev.weir.webflux;

import dev.weir.RateLimiter;
import java.time.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.web.reactive.function.client.ClientResponse;
import reactor.core.Exceptions;
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
            pauseAndFollow(advice, limiter);
        } catch (Throwable notFollowed) {
            Exceptions.throwIfFatal(notFollowed);
            // That the limiter has been closed in the meantime does not concern the response.
            boolean isOfClosed = notFollowed instanceof IllegalStateException && isClosed(limiter);
            if (!isOfClosed) {
                Operators.onErrorDropped(Exceptions.unwrap(notFollowed), Context.empty());
            }
        }
    }

    /** Reads the limit first: if a limit function of keys fails there, it cannot be told from a closed limiter by what follows. */
    private static boolean isClosed(RateLimiter limiter) {
        try {
            limiter.limit();
            return new AskedLimit(limiter, false).isClosed();
        } catch (Throwable unknown) {
            Exceptions.throwIfFatal(unknown);
            return false;
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
