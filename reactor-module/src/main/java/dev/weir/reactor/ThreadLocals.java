package dev.weir.reactor;

import java.util.function.UnaryOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Gives a source the thread locals of its own subscriber's context, if context propagation is automatic.
 *
 * <p>After a wait the source is subscribed, or more elements are requested, on a thread that carries the thread locals of the
 * thread that granted the permit or set the timer. With automatic context propagation, writing the context, even unchanged,
 * restores the right thread locals.
 *
 * <p>Reactor before 3.7.12 does not tell whether propagation is automatic. There it sets a hook for scheduled tasks, so the context
 * is written if there is any such hook: if it is another, in vain.
 */
final class ThreadLocals {

    private static final boolean IS_TOLD = isTold();

    private ThreadLocals() {}

    private static boolean isTold() {
        try {
            Hooks.isAutomaticContextPropagationEnabled();
            return true;
        } catch (NoSuchMethodError beforeItWasAdded) {
            return false;
        }
    }

    private static boolean areRestored() {
        return IS_TOLD ? Hooks.isAutomaticContextPropagationEnabled() : isAnyTaskWrapped();
    }

    private static boolean isAnyTaskWrapped() {
        Runnable task = () -> {};
        return Schedulers.onSchedule(task) != task;
    }

    static <T> Mono<T> restoredFor(Mono<T> source) {
        return areRestored() ? source.contextWrite(UnaryOperator.identity()) : source;
    }

    static <T> Flux<T> restoredFor(Flux<T> source) {
        return areRestored() ? source.contextWrite(UnaryOperator.identity()) : source;
    }
}
