package dev.weir.rxjava;

import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.operators.ConditionalSubscriber;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** A source that notes what it is asked for, and says what a test has it say, right or wrong. */
final class Asked<T> extends Flowable<T> implements Subscription {

    private final List<Long> requests = new CopyOnWriteArrayList<>();
    private final AtomicInteger subscriptions = new AtomicInteger();
    private volatile boolean cancelled;
    private volatile Subscriber<? super T> downstream;

    @Override
    protected void subscribeActual(Subscriber<? super T> subscriber) {
        subscriptions.incrementAndGet();
        downstream = subscriber;
        subscriber.onSubscribe(this);
    }

    @Override
    public void request(long elements) {
        requests.add(elements);
    }

    @Override
    public void cancel() {
        cancelled = true;
    }

    @SafeVarargs
    final void send(T... elements) {
        for (T element : elements) {
            downstream.onNext(element);
        }
    }

    void complete() {
        downstream.onComplete();
    }

    void fail(Throwable error) {
        downstream.onError(error);
    }

    Subscriber<? super T> downstream() {
        return downstream;
    }

    List<Long> requests() {
        return requests;
    }

    boolean isCancelled() {
        return cancelled;
    }

    int subscriptions() {
        return subscriptions.get();
    }

    /** Tells whether the subscriber could be asked to filter. */
    boolean isSubscribedConditionally() {
        return downstream instanceof ConditionalSubscriber;
    }
}
