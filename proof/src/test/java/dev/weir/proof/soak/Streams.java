package dev.weir.proof.soak;

import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.OnRefused;
import dev.weir.stream.StreamOptions;
import dev.weir.stream.WhenFull;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import java.util.SplittableRandom;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Streams of both libraries through a limit, at random; each enters what became of it into the books. */
final class Streams {

    private static final int LONGEST = 200;

    private final Books books;
    private final SplittableRandom random;

    Streams(Books books, SplittableRandom random) {
        this.books = books;
        this.random = random;
    }

    /** Elements that pay a limiter by time, or calls that pay any. */
    Runnable over(RateLimiter limiter, boolean leased) {
        books.begun();
        return switch (leased ? random.nextInt(2) : random.nextInt(5)) {
            case 0 -> call(Mono.defer(() -> Mono.just(begins())), limiter);
            case 1 -> call(Single.defer(() -> Single.just(begins())), limiter);
            case 2 -> flux(dev.weir.reactor.RateLimit.with(limiter, options()), true);
            case 3 -> flowable(dev.weir.rxjava.RateLimit.with(limiter, options()), true);
            default -> observable(dev.weir.rxjava.RateLimit.with(limiter, options()));
        };
    }

    /** Elements that pay a limiter of the stream's own, which leaves no statistics. */
    Runnable withLimiterOfItsOwn(Limit limit) {
        books.begun();
        return random.nextBoolean()
                ? flux(dev.weir.reactor.RateLimit.of(limit, options()), false)
                : flowable(dev.weir.rxjava.RateLimit.of(limit, options()), false);
    }

    private Runnable flux(dev.weir.reactor.RateLimit<Integer> limit, boolean shared) {
        return Flux.range(0, length())
                .transform(limit)
                .doOnNext(element -> passed(shared))
                .doFinally(end -> books.ended())
                .subscribe(element -> {}, failure -> {})::dispose;
    }

    private Runnable flowable(dev.weir.rxjava.RateLimit<Integer> limit, boolean shared) {
        return Flowable.range(0, length())
                .compose(limit)
                .doOnNext(element -> passed(shared))
                .doFinally(books::ended)
                .subscribe(element -> {}, failure -> {})::dispose;
    }

    private Runnable observable(dev.weir.rxjava.RateLimit<Integer> limit) {
        return Observable.range(0, length())
                .compose(limit)
                .doOnNext(element -> passed(true))
                .doFinally(books::ended)
                .subscribe(element -> {}, failure -> {})::dispose;
    }

    private Runnable call(Mono<Integer> call, RateLimiter limiter) {
        return call.transform(dev.weir.reactor.RateLimit.with(limiter))
                .doFinally(end -> books.ended())
                .subscribe(answer -> {}, failure -> {})::dispose;
    }

    private Runnable call(Single<Integer> call, RateLimiter limiter) {
        return call.compose(dev.weir.rxjava.RateLimit.with(limiter))
                .doFinally(books::ended)
                .subscribe(answer -> {}, failure -> {})::dispose;
    }

    private int begins() {
        books.passed();
        return 1;
    }

    private void passed(boolean shared) {
        if (shared) {
            books.passed();
        }
    }

    private int length() {
        return 1 + random.nextInt(LONGEST);
    }

    private StreamOptions options() {
        StreamOptions options =
                StreamOptions.defaults().onRefused(random.nextBoolean() ? OnRefused.FAIL : OnRefused.DROP);
        return switch (random.nextInt(3)) {
            case 0 -> options.prefetch(1 + random.nextInt(32));
            case 1 ->
                options.buffer(1 + random.nextInt(LONGEST))
                        .order(random.nextBoolean() ? QueueOrder.OLDEST_FIRST : QueueOrder.NEWEST_FIRST)
                        .whenFull(random.nextBoolean() ? WhenFull.REJECT_NEW : WhenFull.EVICT_OLDEST);
            default -> options;
        };
    }
}
