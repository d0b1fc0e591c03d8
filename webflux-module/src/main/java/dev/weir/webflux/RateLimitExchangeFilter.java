package dev.weir.webflux;

import dev.weir.Lease;
import dev.weir.RateLimitExceededException;
import dev.weir.RateLimiter;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import reactor.core.publisher.Mono;

/**
 * Keeps a {@code WebClient} to a limit, and to what the server says of its own.
 *
 * <pre>{@code
 * WebClient http = WebClient.builder().filter(RateLimitExchangeFilter.with(limiter)).build();
 * }</pre>
 *
 * <p><b>Every attempt pays</b>, those of {@code retry} too: the permit is asked for by each subscription. Requests wait in the queue
 * of the limiter, without a thread; whoever cancels leaves it. A refusal is a {@link RateLimitExceededException}. The lease is
 * closed when the body of the response has been read or given up, or there is none to come, right before anybody hears of it: with
 * room for one call, the next one may follow at once. As ever with a {@code WebClient}, a body must be read or released.
 *
 * <p><b>What a server says concerns everybody</b> who shares the limiter, as far as its owner lets it:
 *
 * <ul>
 *   <li>{@code Retry-After} with 429 or 503, in seconds or as a date, pauses the limiter; so does a {@code RateLimit} field (drafts
 *       8 to 11 of the IETF) or an {@code X-RateLimit-Remaining} that says that nothing remains, for as long as it says. No pause
 *       is longer than {@link Builder#maxPause}.
 *   <li>{@code RateLimit-Policy} slows the limiter down to the quota it tells, and lets it be as fast as it was meant to be again:
 *       never faster, and never slower than {@link Builder#atLeast}. Limits of several parts, of concurrency, of one's own and
 *       chains are left alone.
 * </ul>
 *
 * <p>Fields that are malformed say nothing. Give a limiter to one filter only: a limit that the filter has not set itself is what
 * the limiter is meant to keep from then on, and the filter cannot tell another one from the owner.
 */
public final class RateLimitExchangeFilter implements ExchangeFilterFunction {

    private final RateLimiter limiter;
    private final ToIntFunction<ClientRequest> cost;
    private final @Nullable ToIntFunction<ClientResponse> actualCost;
    private final @Nullable Duration maxWait;
    private final Duration maxPause;
    private final @Nullable PolicyFollower follower;
    private final Clock clock;

    private RateLimitExchangeFilter(Builder settings) {
        this.limiter = settings.limiter;
        this.cost = settings.cost;
        this.actualCost = settings.actualCost;
        this.maxWait = settings.maxWait;
        this.maxPause = settings.maxPause;
        this.clock = settings.clock;
        this.follower = settings.followsPolicies
                ? new PolicyFollower(limiter, settings.sharePercent, settings.leastPercent, maxPause)
                : null;
    }

    /**
     * Returns a filter with the usual settings: requests cost one permit and wait for it, pauses last a minute at most, policies
     * are followed down to a tenth of the limiter's rate.
     *
     * @param limiter the limiter to ask
     * @return the filter
     */
    public static RateLimitExchangeFilter with(RateLimiter limiter) {
        return builder(limiter).build();
    }

    /**
     * Starts a filter with other settings.
     *
     * @param limiter the limiter to ask
     * @return a builder
     */
    public static Builder builder(RateLimiter limiter) {
        return new Builder(Objects.requireNonNull(limiter, "limiter"));
    }

    @Override
    public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
        return Mono.defer(() -> attempt(request, next, cost.applyAsInt(request)));
    }

    private Mono<ClientResponse> attempt(ClientRequest request, ExchangeFunction next, int permits) {
        if (follower == null) {
            return Admission.ask(limiter, permits, maxWait, new Attempt(request, next, permits, permits));
        }
        // Less than the request costs, where a server has slowed the limiter down below that: the rest is charged.
        int asked = Math.min(permits, limiter.limit().capacity());
        return Admission.ask(limiter, asked, maxWait, new Attempt(request, next, permits, asked))
                .onErrorResume(SlowedMeanwhile.class, slower -> attempt(request, next, permits));
    }

    private void heed(ClientResponse response) {
        ServerAdvice advice = ServerAdvice.of(
                response.statusCode().value(), response.headers().asHttpHeaders(), clock);
        try {
            advice.pause().ifPresent(pause -> limiter.pauseFor(pause.compareTo(maxPause) > 0 ? maxPause : pause));
            if (follower != null) {
                follower.follow(advice.policies());
            }
        } catch (IllegalStateException closed) {
            // The limiter has been closed meanwhile; that is none of the response's business.
        }
    }

    /** One attempt of one request. */
    private final class Attempt implements Admission.Passage<ClientResponse> {

        private final ClientRequest request;
        private final ExchangeFunction next;
        private final int permits;
        private final int asked;

        Attempt(ClientRequest request, ExchangeFunction next, int permits, int asked) {
            this.request = request;
            this.next = next;
            this.permits = permits;
            this.asked = asked;
        }

        @Override
        public Mono<ClientResponse> go(Lease answer) {
            if (!answer.isAcquired()) {
                return Mono.error(
                        answer.retryAfter().isEmpty() && isSlowedMeanwhile()
                                ? new SlowedMeanwhile()
                                : new RateLimitExceededException(answer, limiter.name()));
            }
            return next.exchange(request).flatMap(response -> {
                try {
                    return Mono.just(received(response, answer));
                } catch (RuntimeException | Error wrong) {
                    giveUp(response);
                    return Mono.error(wrong);
                }
            });
        }

        /** Nobody else will read the body, which holds the connection. What has not come yet is not waited for: it may have no end. */
        private static void giveUp(ClientResponse response) {
            response.releaseBody().onErrorComplete().subscribe().dispose();
        }

        private ClientResponse received(ClientResponse response, Lease lease) {
            heed(response);
            if (actualCost != null) {
                lease.settle(actualCost.applyAsInt(response));
            } else {
                settleWhatWasAsked(lease);
            }
            return response.mutate()
                    .body(body -> body.doOnTerminate(lease::close).doOnCancel(lease::close))
                    .build();
        }

        @Override
        public void left(Lease answer) {
            settleWhatWasAsked(answer);
            answer.close();
        }

        @Override
        public Throwable closed(IllegalStateException complaint) {
            return complaint;
        }

        @Override
        public Throwable impossible(IllegalArgumentException complaint) {
            return isSlowedMeanwhile() ? new SlowedMeanwhile() : complaint;
        }

        private boolean isSlowedMeanwhile() {
            return follower != null && asked > limiter.limit().capacity();
        }

        private void settleWhatWasAsked(Lease lease) {
            if (lease.permits() < permits) {
                lease.settle(permits);
            }
        }
    }

    /** Says that the limit no longer grants as much at once as was asked for. Never leaves this class: less is asked for then. */
    private static final class SlowedMeanwhile extends RuntimeException {

        private static final long serialVersionUID = 1L;

        SlowedMeanwhile() {
            super("the limit has become smaller meanwhile", null, false, false);
        }
    }

    /** Settings of a filter to be. */
    public static final class Builder {

        private final RateLimiter limiter;
        private ToIntFunction<ClientRequest> cost = request -> 1;
        private @Nullable ToIntFunction<ClientResponse> actualCost;
        private @Nullable Duration maxWait;
        private Duration maxPause = Duration.ofMinutes(1);
        private boolean followsPolicies = true;
        private int sharePercent = 100;
        private int leastPercent = 10;
        private Clock clock = Clock.systemUTC();

        private Builder(RateLimiter limiter) {
            this.limiter = limiter;
        }

        /**
         * Sets what an attempt costs.
         *
         * @param permits zero waits only while nothing is available; of more than the limit grants at once, while policies
         *     are followed, the rest is charged; unless set, 1
         * @return this builder
         */
        public Builder cost(ToIntFunction<ClientRequest> permits) {
            this.cost = Objects.requireNonNull(permits, "permits");
            return this;
        }

        /**
         * Sets what a request has cost, as its response tells: the difference is charged or given back.
         *
         * @param permits the actual cost by status and header fields, zero or more, else the call fails; must not read the body
         * @return this builder
         */
        public Builder actualCost(ToIntFunction<ClientResponse> permits) {
            this.actualCost = Objects.requireNonNull(permits, "permits");
            return this;
        }

        /**
         * Bounds the wait of each attempt.
         *
         * @param longest unless set, only the limiter has a bound; zero refuses instead of waiting
         * @return this builder
         * @throws IllegalArgumentException if negative
         */
        public Builder maxWait(Duration longest) {
            this.maxWait = notNegative(longest, "longest");
            return this;
        }

        /**
         * Bounds the pause that a server may impose, and the window of the policies that are followed.
         *
         * @param longest unless set, one minute; zero: servers cannot pause the limiter, nor slow it down
         * @return this builder
         * @throws IllegalArgumentException if negative
         */
        public Builder maxPause(Duration longest) {
            this.maxPause = notNegative(longest, "longest");
            return this;
        }

        /**
         * Leaves the rate of the limiter alone, whatever policies a server tells.
         *
         * @return this builder
         */
        public Builder ignoringPolicies() {
            this.followsPolicies = false;
            return this;
        }

        /**
         * Sets the part of what a server grants that is used: less than all leaves room for others who use the same quota, and
         * for requests that do not take equally long to arrive.
         *
         * @param percent 1 to 100; unless set, 100
         * @return this builder
         * @throws IllegalArgumentException if it is anything else
         */
        public Builder share(int percent) {
            this.sharePercent = checked(percent);
            return this;
        }

        /**
         * Bounds how far a policy may slow the limiter down.
         *
         * @param percent of the rate that the limiter is meant to have, 1 to 100; unless set, 10
         * @return this builder
         * @throws IllegalArgumentException if it is anything else
         */
        public Builder atLeast(int percent) {
            this.leastPercent = checked(percent);
            return this;
        }

        /**
         * Sets the clock that dates are held against, where the server does not tell its own time.
         *
         * @param wallClock unless set, that of the system
         * @return this builder
         */
        public Builder clock(Clock wallClock) {
            this.clock = Objects.requireNonNull(wallClock, "wallClock");
            return this;
        }

        private static int checked(int percent) {
            if (percent < 1 || percent > 100) {
                throw new IllegalArgumentException("percent must be between 1 and 100, but is " + percent);
            }
            return percent;
        }

        private static Duration notNegative(Duration duration, String name) {
            if (Objects.requireNonNull(duration, name).isNegative()) {
                throw new IllegalArgumentException(name + " must not be negative, but is " + duration);
            }
            return duration;
        }

        /**
         * Makes the filter.
         *
         * @return a filter
         */
        public RateLimitExchangeFilter build() {
            return new RateLimitExchangeFilter(this);
        }
    }
}
