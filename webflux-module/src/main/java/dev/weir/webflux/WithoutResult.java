package dev.weir.webflux;

import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoOperator;

/** Runs clean-up for a Mono that ends without a result; a result takes over responsibility for its own clean-up. */
final class WithoutResult {

    private WithoutResult() {}

    /**
     * Runs {@code end} when the Mono completes empty, fails or is cancelled, right before that is signalled downstream; also if
     * subscribing throws, as it does for fatal errors.
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

    /** Runs {@code end} when subscribing to the Mono throws, which only the subscribing thread notices. */
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
