package dev.weir.benchmarks.stream;

import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.FlowableSubscriber;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;

/** The end of a stream: asks for everything and counts it. */
final class Arrivals implements CoreSubscriber<Integer>, FlowableSubscriber<Integer> {

    private final CompletableFuture<Long> end = new CompletableFuture<>();
    private long count;

    static Pipe flux(UnaryOperator<Flux<Integer>> operator) {
        return elements -> {
            Arrivals arrivals = new Arrivals();
            operator.apply(Flux.range(1, elements)).subscribe(arrivals);
            return arrivals.end.join();
        };
    }

    static Pipe flowable(UnaryOperator<Flowable<Integer>> operator) {
        return elements -> {
            Arrivals arrivals = new Arrivals();
            operator.apply(Flowable.range(1, elements)).subscribe(arrivals);
            return arrivals.end.join();
        };
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(Integer element) {
        count++;
    }

    @Override
    public void onError(Throwable error) {
        end.completeExceptionally(error);
    }

    @Override
    public void onComplete() {
        end.complete(count);
    }
}
