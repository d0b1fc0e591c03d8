package dev.weir.reactor;

import java.util.concurrent.atomic.AtomicLong;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;

/** A source without manners: sends what it is told to send, whatever was asked for, cancelled or signalled before. */
final class ManualSource<T> extends Flux<T> implements Subscription {

    final AtomicLong requested = new AtomicLong();
    volatile boolean cancelled;
    volatile CoreSubscriber<? super T> subscriber;

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        subscriber = actual;
        actual.onSubscribe(this);
    }

    void next(T element) {
        subscriber.onNext(element);
    }

    void complete() {
        subscriber.onComplete();
    }

    void fail(Throwable error) {
        subscriber.onError(error);
    }

    @Override
    public void request(long n) {
        requested.accumulateAndGet(n, (sum, more) -> sum + more < 0 ? Long.MAX_VALUE : sum + more);
    }

    @Override
    public void cancel() {
        cancelled = true;
    }
}
