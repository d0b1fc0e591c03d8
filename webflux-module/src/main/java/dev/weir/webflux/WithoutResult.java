package dev.weir.webflux;

import reactor.core.publisher.Mono;

/** What is over with nothing that could take care of its own end. */
final class WithoutResult {

    private WithoutResult() {}

    /** Has that run when the other ends without a result, fails or is given up, right before anybody else hears of it. */
    static <T> Mono<T> run(Mono<T> mono, Runnable end) {
        return mono.doOnSuccess(result -> {
                    if (result == null) {
                        end.run();
                    }
                })
                .doOnError(failure -> end.run())
                .doOnCancel(end);
    }
}
