package dev.weir.reactor;

import dev.weir.gate.ElementGate;
import dev.weir.gate.GatePlan;
import dev.weir.gate.GatedStream;
import dev.weir.gate.PulledSource;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.Fuseable;
import reactor.core.Scannable;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Scheduler;
import reactor.util.context.Context;

/**
 * One subscription whose elements need permits: translates between Reactor and the {@link ElementGate}, which makes all
 * decisions.
 *
 * <p>Takes elements from the queue of a fused source if the options allow it, also on other threads than the source's; offers no
 * fusion itself, as that would let elements pass without a permit.
 */
final class ElementSubscriber<T> implements ReactorHooks<T>, Subscription, GatedStream<T>, Scannable {

    private final CoreSubscriber<? super T> actual;
    private final Fuseable.@Nullable ConditionalSubscriber<? super T> conditional;
    private final boolean asksOnce;
    private final GatePlan<T> plan;
    private final Scheduler scheduler;
    private final ElementGate<T> gate;

    private Subscription upstream = Operators.emptySubscription();
    private boolean subscribed;
    private boolean hasAsked;

    /**
     * Creates a subscription.
     *
     * @param asksOnce whether the source is asked only once, as it has at most one element
     */
    @SuppressWarnings({"this-escape", "unchecked"}) // the gate calls back only once it is signalled
    ElementSubscriber(CoreSubscriber<? super T> actual, boolean asksOnce, GatePlan<T> plan, ReactorThreads threads) {
        this.actual = actual;
        this.conditional = actual instanceof Fuseable.ConditionalSubscriber
                ? (Fuseable.ConditionalSubscriber<? super T>) actual
                : null;
        this.asksOnce = asksOnce;
        this.plan = plan;
        this.scheduler = threads.scheduler();
        this.gate = plan.newGate(this, threads);
    }

    // From the source

    @Override
    public void onSubscribe(Subscription s) {
        if (!Operators.validate(subscribed ? upstream : null, s)) {
            return;
        }
        subscribed = true;
        upstream = s;
        fuse(s);
        actual.onSubscribe(this);
        gate.start();
    }

    private void fuse(Subscription s) {
        if (!plan.allowsPulling() || !(s instanceof Fuseable.QueueSubscription)) {
            return;
        }
        @SuppressWarnings("unchecked") // the source's own
        Fuseable.QueueSubscription<T> queue = (Fuseable.QueueSubscription<T>) s;
        // No asynchronous fusion: the requesting thread would take elements that publishOn delivers on its own thread.
        if (queue.requestFusion(Fuseable.SYNC | Fuseable.THREAD_BARRIER) == Fuseable.SYNC) {
            gate.startPulling(new FusedQueue<>(queue));
        }
    }

    @Override
    public void onNext(T element) {
        gate.offer(Objects.requireNonNull(element, "onNext"));
    }

    @Override
    public void onError(Throwable error) {
        gate.fail(Objects.requireNonNull(error, "onError"));
    }

    @Override
    public void onComplete() {
        gate.complete();
    }

    @Override
    public Context currentContext() {
        return actual.currentContext();
    }

    // From downstream

    @Override
    public void request(long n) {
        if (Operators.validate(n)) {
            gate.request(n);
        }
    }

    @Override
    public void cancel() {
        gate.cancel();
    }

    // From the gate

    @Override
    public boolean next(T element) {
        if (conditional != null) {
            return conditional.tryOnNext(element);
        }
        actual.onNext(element);
        return true;
    }

    @Override
    public void complete() {
        actual.onComplete();
    }

    @Override
    public void error(Throwable error) {
        actual.onError(error);
    }

    @Override
    public void requestFromSource(long elements) {
        if (!asksOnce || !hasAsked) {
            hasAsked = true; // before the source sends its element, after which the gate would ask again
            upstream.request(elements);
        }
    }

    @Override
    public void cancelSource() {
        upstream.cancel();
    }

    @Override
    public Throwable overflow(T element) {
        Throwable overflow = Exceptions.failWithOverflow(plan.overflow());
        return Operators.onOperatorError(null, overflow, element, actual.currentContext());
    }

    @Override
    public @Nullable Throwable functionFailed(T element, Throwable failure) {
        return Operators.onNextError(element, failure, actual.currentContext());
    }

    @Override
    public Throwable sourceFailed(Throwable failure) {
        return Operators.onOperatorError(failure, actual.currentContext());
    }

    @Override
    @SuppressWarnings("rawtypes") // as declared
    public @Nullable Object scanUnsafe(Attr key) {
        if (key == Attr.PARENT) {
            return upstream;
        } else if (key == Attr.ACTUAL) {
            return actual;
        } else if (key == Attr.TERMINATED) {
            return gate.isEnded() && !gate.isCancelled();
        } else if (key == Attr.CANCELLED) {
            return gate.isCancelled();
        } else if (key == Attr.BUFFERED) {
            return gate.held();
        } else if (key == Attr.CAPACITY) {
            return plan.room();
        } else if (key == Attr.PREFETCH) {
            return plan.prefetch();
        } else if (key == Attr.REQUESTED_FROM_DOWNSTREAM) {
            return gate.demand();
        } else if (key == Attr.ERROR) {
            return gate.sourceError();
        } else if (key == Attr.DELAY_ERROR) {
            return !plan.options().isErrorsCutAhead();
        } else if (key == Attr.RUN_ON) {
            return plan.options().emitOn().isPresent() ? null : scheduler;
        }
        return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
    }

    /** The queue of a fused source, which releases its elements when it is cancelled. */
    private record FusedQueue<T>(Fuseable.QueueSubscription<T> queue) implements PulledSource<T> {

        @Override
        public @Nullable T poll() {
            return queue.poll();
        }

        @Override
        public boolean isEmpty() {
            return queue.isEmpty();
        }
    }
}
