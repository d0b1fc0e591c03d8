package dev.weir.webflux;

import dev.weir.Lease;
import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimitExceededException;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import reactor.core.publisher.Mono;

/**
 * Limits the requests of a {@code WebClient}, and follows the rate limit that the server announces in its responses.
 *
 * <pre>{@code
 * WebClient http = WebClient.builder().filter(RateLimitExchangeFilter.with(limiter)).build();
 * }</pre>
 *
 * <p><b>Every attempt takes permits</b>, retries included: each subscription asks the limiter. Requests wait in the queue of the
 * limiter without blocking a thread; cancelling the subscription leaves the queue. A refusal is signalled as
 * {@link RateLimitExceededException}. The lease is closed when the response body has completed, failed or been cancelled, or the
 * exchange has ended without a response. It is closed right before the subscriber is signalled: under a concurrency limit of one,
 * the next call may follow at once. As always with a {@code WebClient}, a body must be read or released.
 *
 * <p><b>What a server announces affects everyone</b> who shares the limiter, within the bounds that the builder sets:
 *
 * <ul>
 *   <li>{@code Retry-After} with 429 or 503, in seconds or as a date, pauses the limiter; so does a {@code RateLimit} field (drafts
 *       8 to 11 of the IETF) or an {@code X-RateLimit-Remaining} of zero, until the reset time that it states. No pause is longer
 *       than {@link Builder#maxPause}.
 *   <li>{@code RateLimit-Policy} slows the limiter down to the announced quota, and lets it return to its configured rate later:
 *       never faster than that, and never slower than {@link Builder#atLeast}. Limits of several parts, of concurrency or of calls
 *       ({@code countingCalls}), unlimited and custom ones, and chains are left unchanged. So is a limiter that refuses to be changed:
 *       the error goes to Reactor's {@code onErrorDropped}, once rather than with every response.
 *   <li>Whatever else fails as a response is followed, such as a clock, is dropped there, too: the response arrives.
 * </ul>
 *
 * <p>With a limiter for each key, what a server announces affects only the key of the request that it answers, and only
 * {@code Retry-After} and what else pauses has an effect. A key that has no limiter of its own, because there are too many, is not
 * paused. Policies have no effect: a limiter whose limit has been changed could never be forgotten, so that all keys of such a
 * server would be kept for ever.
 *
 * <p>Malformed fields are ignored. Give a limiter to one filter only: the filter takes any limit that it has not set itself for the
 * limit that the owner has configured, and cannot tell another filter's changes from the owner's.
 */
public final class RateLimitExchangeFilter implements ExchangeFilterFunction {

    private final Function<ClientRequest, RateLimiter> limiterOf;
    private final ToIntFunction<ClientRequest> cost;
    private final @Nullable ToIntFunction<ClientResponse> actualCost;
    private final @Nullable Duration maxWait;
    private final @Nullable PolicyFollower follower;
    private final AdviceFollower advice;

    private RateLimitExchangeFilter(Builder settings) {
        this.limiterOf = settings.limiterOf;
        this.cost = settings.cost;
        this.actualCost = settings.actualCost;
        this.maxWait = settings.maxWait;
        RateLimiter forAll = settings.forAll;
        this.follower = forAll != null && settings.followsPolicies
                ? new PolicyFollower(forAll, settings.sharePercent, settings.leastPercent, settings.maxPause)
                : null;
        this.advice = new AdviceFollower(settings.maxPause, settings.clock, follower);
    }

    /**
     * Returns a filter with the default settings: requests cost one permit and wait for it, pauses last a minute at most, policies
     * are followed down to a tenth of the limiter's rate.
     *
     * @param limiter the limiter to ask
     * @return the filter
     */
    public static RateLimitExchangeFilter with(RateLimiter limiter) {
        return builder(limiter).build();
    }

    /**
     * Returns a filter with the default settings that limits each key separately, for example each host: requests cost one permit
     * and wait for it, pauses last a minute at most, policies are ignored.
     *
     * @param limiters the limiters to ask
     * @param key computes the key of a request; called for every attempt. If it throws or returns null, the call fails and is not
     *     sent
     * @param <K> the type of the keys
     * @return the filter
     */
    public static <K> RateLimitExchangeFilter with(
            PartitionedRateLimiter<K> limiters, Function<? super ClientRequest, ? extends K> key) {
        return builder(limiters, key).build();
    }

    /**
     * Returns a builder for a filter with other settings.
     *
     * @param limiter the limiter to ask
     * @return a builder
     */
    public static Builder builder(RateLimiter limiter) {
        Objects.requireNonNull(limiter, "limiter");
        return new Builder(limiter, request -> limiter);
    }

    /**
     * Returns a builder for a filter with other settings that limits each key separately. As such a filter ignores policies,
     * {@link Builder#share} and {@link Builder#atLeast} have no effect.
     *
     * @param limiters the limiters to ask
     * @param key as in {@link #with(PartitionedRateLimiter, Function)}
     * @param <K> the type of the keys
     * @return a builder
     */
    public static <K> Builder builder(
            PartitionedRateLimiter<K> limiters, Function<? super ClientRequest, ? extends K> key) {
        Objects.requireNonNull(limiters, "limiters");
        Objects.requireNonNull(key, "key");
        return new Builder(null, request -> limiters.forKey(key.apply(request)));
    }

    @Override
    public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
        return Mono.defer(() -> new Attempt(limiterOf.apply(request), request, next, cost.applyAsInt(request)).made());
    }

    /** One attempt of one request. */
    private final class Attempt implements Admission.Continuation<ClientResponse> {

        private final RateLimiter limiter;
        private final ClientRequest request;
        private final ExchangeFunction next;
        private final int permits;
        private final int changesBefore;

        /** What fits: a server may have slowed the limiter to less than the request costs. The rest is charged later. */
        private final int asked;

        Attempt(RateLimiter limiter, ClientRequest request, ExchangeFunction next, int permits) {
            this.limiter = limiter;
            this.request = request;
            this.next = next;
            this.permits = permits;
            this.changesBefore = follower == null ? 0 : follower.changes();
            this.asked = follower == null
                    ? permits
                    : Math.min(permits, limiter.limit().capacity());
        }

        Mono<ClientResponse> made() {
            return Admission.ask(limiter, asked, maxWait, this);
        }

        @Override
        public Mono<ClientResponse> go(Lease answer) {
            if (!answer.isAcquired()) {
                RateLimitExceededException refused = new RateLimitExceededException(answer, limiter.name());
                return isAtNoTime(answer) ? anewIfSlowed(refused) : Mono.error(refused);
            }
            return next.exchange(request).flatMap(response -> {
                try {
                    return Mono.just(received(response, answer));
                } catch (Throwable wrong) {
                    giveUp(response);
                    return Mono.error(wrong);
                }
            });
        }

        /** Releases the unread body, which holds the connection. Does not wait for the rest of it, which may be endless. */
        private static void giveUp(ClientResponse response) {
            response.releaseBody().onErrorComplete().subscribe().dispose();
        }

        private ClientResponse received(ClientResponse response, Lease lease) {
            advice.follow(response, limiter);
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
        public Mono<ClientResponse> failed(RuntimeException complaint) {
            return anewIfSlowed(complaint);
        }

        /** Returns whether time would not help, as after a refusal of more than the limit ever grants. */
        private static boolean isAtNoTime(Lease refusal) {
            return refusal.retryAfter().isEmpty()
                    && refusal.reason()
                            .filter(why -> why == RefusalReason.EXHAUSTED || why == RefusalReason.PAUSED)
                            .isPresent();
        }

        /** Asks anew if the limit is too small for what was asked, or may have been: it may have been raised again since. */
        private Mono<ClientResponse> anewIfSlowed(RuntimeException complaint) {
            boolean isSlowed =
                    follower != null && (asked > limiter.limit().capacity() || follower.changes() != changesBefore);
            return isSlowed ? new Attempt(limiter, request, next, permits).made() : Mono.error(complaint);
        }

        private void settleWhatWasAsked(Lease lease) {
            if (lease.permits() < permits) {
                lease.settle(permits);
            }
        }
    }

    /** Builder of a filter. */
    public static final class Builder {

        private final @Nullable RateLimiter forAll;
        private final Function<ClientRequest, RateLimiter> limiterOf;
        private ToIntFunction<ClientRequest> cost = request -> 1;
        private @Nullable ToIntFunction<ClientResponse> actualCost;
        private @Nullable Duration maxWait;
        private Duration maxPause = Duration.ofMinutes(1);
        private boolean followsPolicies = true;
        private int sharePercent = 100;
        private int leastPercent = 10;
        private Clock clock = Clock.systemUTC();

        private Builder(@Nullable RateLimiter forAll, Function<ClientRequest, RateLimiter> limiterOf) {
            this.forAll = forAll;
            this.limiterOf = limiterOf;
        }

        /**
         * Sets what an attempt costs.
         *
         * @param permits zero takes nothing, but waits while no permit is available; a negative cost fails the call, unsent, with
         *     {@link IllegalArgumentException}; if policies are followed, whatever exceeds the capacity of the limit is charged
         *     afterwards; default 1
         * @return this builder
         */
        public Builder cost(ToIntFunction<ClientRequest> permits) {
            this.cost = Objects.requireNonNull(permits, "permits");
            return this;
        }

        /**
         * Sets what a request has actually cost, determined from its response: the difference is charged or given back.
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
         * @param longest the longest wait; zero refuses instead of waiting, but for the answer of a store that keeps the permits, at
         *     most twice its deadline; by default only the limiter's own bound applies
         * @return this builder
         * @throws IllegalArgumentException if negative
         */
        public Builder maxWait(Duration longest) {
            this.maxWait = Arguments.notNegative(longest, "longest");
            return this;
        }

        /**
         * Bounds the pause that a server may impose, and the window of the policies that are followed.
         *
         * @param longest default one minute; with zero, servers can neither pause the limiter nor slow it down
         * @return this builder
         * @throws IllegalArgumentException if negative
         */
        public Builder maxPause(Duration longest) {
            this.maxPause = Arguments.notNegative(longest, "longest");
            return this;
        }

        /**
         * Keeps the rate of the limiter, whatever policies a server announces.
         *
         * @return this builder
         */
        public Builder ignoringPolicies() {
            this.followsPolicies = false;
            return this;
        }

        /**
         * Sets the share of the announced quota that is used: less than all leaves room for other users of the same quota, and
         * for variation in how long requests take to arrive.
         *
         * @param percent 1 to 100, default 100
         * @return this builder
         * @throws IllegalArgumentException if it is anything else
         */
        public Builder share(int percent) {
            this.sharePercent = Arguments.upTo(100, percent, "percent");
            return this;
        }

        /**
         * Bounds how far a policy may slow the limiter down.
         *
         * @param percent of the limiter's configured rate, 1 to 100, default 10
         * @return this builder
         * @throws IllegalArgumentException if it is anything else
         */
        public Builder atLeast(int percent) {
            this.leastPercent = Arguments.upTo(100, percent, "percent");
            return this;
        }

        /**
         * Sets the clock that dates are compared with if a response has no {@code Date} field.
         *
         * @param wallClock the clock, by default that of the system
         * @return this builder
         */
        public Builder clock(Clock wallClock) {
            this.clock = Objects.requireNonNull(wallClock, "wallClock");
            return this;
        }

        /**
         * Builds the filter.
         *
         * @return a filter
         */
        public RateLimitExchangeFilter build() {
            return new RateLimitExchangeFilter(this);
        }
    }
}
