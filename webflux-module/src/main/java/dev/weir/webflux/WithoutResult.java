package dev.weir.webflux;

import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoOperator;

/** What is over with nothing that could take care of its own end. */
final class WithoutResult {

    private WithoutResult() {}

    /**
     * Has that run when the other ends without a result, fails or is given up, right before anybody else hears of it; also when to
     * subscribe it throws, as with what is fatal.
     */
    static <T> Mono<T> run(Mono<T> mono, Runnable end) {
        Mono<T> heard = mono.doOnSuccess(result -> {
                    if (result == null) {
                        end.run();
                    }
                })
                .doOnError(failure -> end.run())
                .doOnCancel(end);
        return runIfThrown(heard, end);
    }

    /** Has that run when to subscribe the other throws, which only the thread hears of that subscribes it. */
    static <T> Mono<T> runIfThrown(Mono<T> mono, Runnable end) {
        return new Subscribed<>(mono, end);
    }

    private static final class Subscribed<T> extends MonoOperator<T, T> {

        private final Runnable end;

        Subscribed(Mono<T> mono, Runnable end) {
            super(mono);
            this.end = end;
        }

        @Override
        public void subscribe(CoreSubscriber<? super T> actual) {
            try {
                source.subscribe(actual);
            } catch (Throwable fatal) {
                end.run();
                throw fatal;
            }
        }
    }
}
