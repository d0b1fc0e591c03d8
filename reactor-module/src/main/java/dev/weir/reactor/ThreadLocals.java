package dev.weir.reactor;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/**
 * If context propagation is automatic, gives a source the thread locals of its own subscriber's context, and the timer none.
 *
 * <p>After a wait the source is subscribed, or more elements are requested, on a thread that carries the thread locals of the
 * thread that granted the permit. With automatic context propagation, writing the context, even unchanged, restores the right
 * thread locals. A scheduler carries the thread locals of the thread that schedules a task into the task; a timer that serves whoever
 * waits, and that is set again from its own task, would carry those of one request for as long as there are others.
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

    /**
     * Runs an action without any thread locals that follow contexts, as the context of its subscriber is empty; with them if a hook, or
     * what clears one of them, does not let it be subscribed.
     */
    static void cleared(Runnable action) {
        if (!areRestored()) {
            action.run();
            return;
        }
        AtomicBoolean begun = new AtomicBoolean();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Runnable once = () -> {
            if (begun.compareAndSet(false, true)) {
                keepingThrown(action, thrown);
            }
        };
        try {
            Mono.fromRunnable(once).contextWrite(UnaryOperator.identity()).subscribe(Operators.drainSubscriber());
        } catch (Throwable hindered) {
            Operators.onErrorDropped(hindered, Context.empty());
        } finally {
            once.run();
        }
        if (thrown.get() != null) {
            throw Exceptions.propagate(thrown.get());
        }
    }

    private static void keepingThrown(Runnable action, AtomicReference<Throwable> thrown) {
        try {
            action.run();
        } catch (Throwable failure) {
            thrown.set(failure);
        }
    }

    static <T> Mono<T> restoredFor(Mono<T> source) {
        return areRestored() ? source.contextWrite(UnaryOperator.identity()) : source;
    }

    static <T> Flux<T> restoredFor(Flux<T> source) {
        return areRestored() ? source.contextWrite(UnaryOperator.identity()) : source;
    }
}
