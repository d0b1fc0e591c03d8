package dev.weir.reactor;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import reactor.core.CoreSubscriber;
import reactor.core.Fuseable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/** A source with a queue of its own, from which the subscriber takes what it is told is there. Discards exactly. */
final class FusedSource<T> extends Flux<T> implements Fuseable {

    private final Queue<T> queue = new ConcurrentLinkedQueue<>();
    private final Subscription<T> subscription = new Subscription<>(this);
    volatile boolean cancelled;
    private volatile CoreSubscriber<? super T> subscriber;

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        subscriber = actual;
        actual.onSubscribe(subscription);
    }

    void next(T element) {
        queue.add(element);
        subscriber.onNext(null);
    }

    void complete() {
        subscriber.onComplete();
    }

    void fail(Throwable error) {
        subscriber.onError(error);
    }

    private static final class Subscription<T> implements Fuseable.QueueSubscription<T> {

        private final FusedSource<T> source;

        private Subscription(FusedSource<T> source) {
            this.source = source;
        }

        @Override
        public int requestFusion(int requestedMode) {
            return requestedMode & Fuseable.ASYNC;
        }

        @Override
        public void request(long n) {}

        @Override
        public void cancel() {
            source.cancelled = true;
        }

        @Override
        public T poll() {
            return source.queue.poll();
        }

        @Override
        public void clear() {
            Operators.onDiscardQueueWithClear(source.queue, source.subscriber.currentContext(), null);
        }

        @Override
        public int size() {
            return source.queue.size();
        }

        @Override
        public boolean isEmpty() {
            return source.queue.isEmpty();
        }
    }
}
