package dev.weir.webflux;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * The limits that apply to an incoming request: one or several, what the request costs, and whether it may wait. Immutable; used by
 * {@link RateLimitWebFilter}, {@link RateLimitHandlerFilter} and, under a name, {@link RateLimitedHandlerAdapter}.
 */
public final class RequestLimits {

    private final List<LimitSource> sources;
    private final ToIntFunction<ServerWebExchange> cost;
    private final @Nullable ToIntFunction<ServerWebExchange> actualCost;
    private final @Nullable Duration maxWait;
    private final HeaderStyle style;
    private final @Nullable RefusalWriter writer;

    RequestLimits(RequestLimitsBuilder<?> settings) {
        this.sources = List.copyOf(settings.sources);
        this.cost = settings.cost;
        this.actualCost = settings.actualCost;
        this.maxWait = settings.maxWait;
        this.style = settings.style;
        this.writer = settings.writer;
    }

    /**
     * Returns a builder without limits.
     *
     * @return a builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Builder of request limits. */
    public static final class Builder extends RequestLimitsBuilder<Builder> {

        private Builder() {}

        @Override
        Builder self() {
            return this;
        }

        /**
         * Builds the limits.
         *
         * @return limits
         * @throws IllegalArgumentException if no limit has been added, or the same limiter twice
         */
        public RequestLimits build() {
            return limits();
        }
    }

    /** The next step of a request, after the limits have decided. */
    interface Onward<T> {

        /**
         * Passes the request on.
         *
         * @param end called when the response that the result produces has completed; need not be called if the Mono is empty or
         *     fails
         */
        Mono<T> go(Runnable end);

        /** Answers a refused request instead. */
        Mono<T> refused(Refusal refusal);
    }

    /** Writes the response to a request that these limits have refused. */
    Mono<Void> write(Refusal refusal, ServerWebExchange exchange) {
        return refusal.writeTo(exchange, writer);
    }

    <T> Mono<T> pass(ServerWebExchange exchange, Onward<T> onward) {
        // Stops at errors: an onErrorContinue of a filter further out would leave out the limit that refuses or fails.
        return Flux.fromIterable(sources)
                .concatMap(source -> source.limitOf(exchange))
                .takeUntil(Refusal.class::isInstance)
                .collectList()
                .onErrorStop()
                .flatMap(found -> ask(found, exchange, onward));
    }

    /** Asks each limiter once: two keys of one request may be equal, or both missing, and lead to the same one. */
    private <T> Mono<T> ask(List<LimitSource.Found> found, ServerWebExchange exchange, Onward<T> onward) {
        Map<RateLimiter, AskedLimit> eachOnce = new LinkedHashMap<>();
        for (LimitSource.Found one : found) {
            if (one instanceof Refusal refusal) {
                return onward.refused(refusal);
            }
            AskedLimit asked = (AskedLimit) one;
            eachOnce.putIfAbsent(asked.limiter(), asked);
        }
        return pass(exchange, List.copyOf(eachOnce.values()), onward);
    }

    private <T> Mono<T> pass(ServerWebExchange exchange, List<AskedLimit> asked, Onward<T> onward) {
        if (asked.isEmpty()) {
            return onward.go(() -> {});
        }
        int permits = cost.applyAsInt(exchange);
        if (permits == 0) {
            return passUnasked(exchange, asked, onward);
        }
        List<AskedLimit> exceeded = exceededBy(permits, asked);
        if (!exceeded.isEmpty()) {
            return refuse(exchange, asked, Refusal.tooLarge(exceeded), onward);
        }
        return Admission.ask(limiterOf(asked), permits, maxWait, new Passing<>(exchange, permits, asked, onward));
    }

    private static List<AskedLimit> exceededBy(int permits, List<AskedLimit> asked) {
        return asked.stream().filter(limit -> limit.capacity() < permits).toList();
    }

    /** Passes a request that costs nothing without asking; its actual cost is charged at the end. */
    private <T> Mono<T> passUnasked(ServerWebExchange exchange, List<AskedLimit> asked, Onward<T> onward) {
        LimitFields.writePassed(style, asked, exchange);
        AtomicBoolean ended = new AtomicBoolean();
        Runnable end = () -> {
            if (ended.compareAndSet(false, true)) {
                settle(exchange, actual -> limiterOf(asked).charge(actual)); // a chain charges each, though one fails
            }
        };
        return WithoutResult.run(Mono.defer(() -> onward.go(end)), end);
    }

    private static RateLimiter limiterOf(List<AskedLimit> asked) {
        return asked.size() == 1
                ? asked.get(0).limiter()
                : RateLimiter.chain(asked.stream().map(AskedLimit::limiter).toArray(RateLimiter[]::new));
    }

    private <T> Mono<T> refuse(ServerWebExchange exchange, List<AskedLimit> asked, Refusal refusal, Onward<T> onward) {
        LimitFields.writeRefused(style, asked, exchange, refusal);
        return onward.refused(refusal);
    }

    private void settle(ServerWebExchange exchange, IntConsumer account) {
        try {
            if (actualCost != null) {
                account.accept(actualCost.applyAsInt(exchange));
            }
        } catch (Throwable wrong) {
            // The response is complete: that its actual cost cannot be determined must not fail the request.
            Operators.onErrorDropped(wrong, Context.empty());
        }
    }

    /** What follows the limiter's answer for one request. */
    private final class Passing<T> implements Admission.Continuation<T> {

        private final ServerWebExchange exchange;
        private final int permits;
        private final List<AskedLimit> asked;
        private final Onward<T> onward;
        private final AtomicBoolean ended = new AtomicBoolean();

        Passing(ServerWebExchange exchange, int permits, List<AskedLimit> asked, Onward<T> onward) {
            this.exchange = exchange;
            this.permits = permits;
            this.asked = asked;
            this.onward = onward;
        }

        @Override
        public Mono<T> go(Lease answer) {
            if (!answer.isAcquired()) {
                return refuse(exchange, asked, Refusal.of(answer, asked), onward);
            }
            LimitFields.writePassed(style, asked, exchange);
            return onward.go(() -> end(answer));
        }

        @Override
        public void left(Lease answer) {
            end(answer);
        }

        /** Answers by the state of the limits, as it may also be a policy of the user's own that has thrown this. */
        @Override
        public Mono<T> failed(RuntimeException complaint) {
            List<AskedLimit> closed =
                    asked.stream().filter(AskedLimit::isClosed).toList();
            if (!closed.isEmpty()) {
                return refuse(exchange, asked, Refusal.closed(closed), onward);
            }
            List<AskedLimit> exceeded = exceededBy(permits, asked);
            return exceeded.isEmpty()
                    ? Mono.error(complaint)
                    : refuse(exchange, asked, Refusal.tooLarge(exceeded), onward);
        }

        private void end(Lease answer) {
            if (answer.isAcquired() && ended.compareAndSet(false, true)) {
                settleAndClose(answer);
            }
        }

        private void settleAndClose(Lease answer) {
            try {
                settle(exchange, answer::settle);
            } finally {
                answer.close();
            }
        }
    }
}
