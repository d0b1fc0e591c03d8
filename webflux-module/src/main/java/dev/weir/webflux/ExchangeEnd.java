package dev.weir.webflux;

import org.jspecify.annotations.Nullable;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;

/**
 * What is left to do at the end of an exchange. An attribute of the exchange for as long as a filter observes it; what is added when
 * the exchange is already over is done at once.
 */
final class ExchangeEnd {

    private static final String ATTRIBUTE = ExchangeEnd.class.getName();

    private final Disposable.Swap attempt = Disposables.swap();
    private final Disposable.Composite all = Disposables.composite(attempt);

    /** Observes an exchange: its end is that of the Mono that answers it, be it that somebody cancels. */
    static Mono<Void> observe(ServerWebExchange exchange, Mono<Void> answered) {
        return Mono.defer(() -> {
            ExchangeEnd end = new ExchangeEnd();
            if (exchange.getAttributes().put(ATTRIBUTE, end) instanceof ExchangeEnd ofFilterBefore) {
                ofFilterBefore.beginAttempt();
            }
            Runnable over = () -> {
                exchange.getAttributes().remove(ATTRIBUTE, end);
                end.all.dispose();
            };
            // A cancellation is passed on first: limits that hear of it end by themselves, after what is further out.
            return answered.doOnTerminate(over).doOnCancel(end.attempt::dispose).doFinally(signal -> over.run());
        });
    }

    /** Returns the end of an exchange; null if nobody observes it. */
    static @Nullable ExchangeEnd of(ServerWebExchange exchange) {
        return (ExchangeEnd) exchange.getAttributes().get(ATTRIBUTE);
    }

    /** Begins an attempt to answer, which ends the one before: a filter may dispatch an exchange again, as to try again. */
    void beginAttempt() {
        attempt.update(() -> {});
    }

    /** Does this at the end of the present attempt, or of the exchange. */
    void endAttempt(Runnable end) {
        attempt.update(end::run);
    }

    /** Does this at the end of the exchange, whatever is attempted. */
    void add(Runnable end) {
        all.add(end::run);
    }
}
