package dev.weir.rxjava;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.testkit.VirtualTimeSource;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.reactivex.rxjava3.subscribers.TestSubscriber;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** Which choices of a thread keep elements on threads that may block, whoever requests them. */
class BlockingConsumerTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final RateLimiter limiter =
            RateLimiter.builder(Limit.of(2, SECOND)).timeSource(time).build();
    private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> new Thread(task, "may-block"));
    private final Scheduler mayBlock = Schedulers.from(thread);
    private final List<String> threads = new CopyOnWriteArrayList<>();
    private final Flowable<Integer> limited = Flowable.<Integer>fromPublisher(this::bringOnThatThread)
            .compose(RateLimit.with(limiter, StreamOptions.defaults().emitOn(RxExecutor.of(mayBlock))))
            .doOnNext(element -> threads.add(Thread.currentThread().getName()));

    @AfterEach
    void endThread() {
        thread.shutdown();
    }

    @Test
    @DisplayName("with observeOn, emitOn, and subscribeOn behind the limit, all of them do")
    void all() {
        receive(limited.subscribeOn(mayBlock));
        assertThat(threads).hasSize(4).containsOnly("may-block");
    }

    @Test
    @DisplayName(
            "without subscribeOn, an element that comes before the request for it has returned goes on on the requesting thread")
    void comesBeforeTheRequestReturns() {
        receive(limited);
        assertThat(threads).startsWith(Thread.currentThread().getName()).endsWith("may-block");
    }

    /** Two elements at once, and two after a wait. */
    private void receive(Flowable<Integer> elements) {
        TestSubscriber<Integer> subscriber = elements.test();
        awaitThread();
        time.advanceBy(SECOND);
        awaitThread();
        subscriber.assertValuesOnly(1, 2, 3, 4);
    }

    /** As observeOn does, if its thread is faster than the one that requests. */
    private void bringOnThatThread(Subscriber<? super Integer> limit) {
        AtomicInteger next = new AtomicInteger();
        limit.onSubscribe(new Subscription() {
            @Override
            public void request(long n) {
                Runnable bring = () -> limit.onNext(next.incrementAndGet());
                if (Thread.currentThread().getName().equals("may-block")) {
                    bring.run();
                } else {
                    thread.execute(bring);
                    awaitThread();
                }
            }

            @Override
            public void cancel() {}
        });
    }

    /** Returns once the thread, which runs tasks in their order, has run what it was given, and what that gave it. */
    private void awaitThread() {
        for (int times = 0; times < 3; times++) {
            CompletableFuture.runAsync(() -> {}, thread)
                    .orTimeout(10, TimeUnit.SECONDS)
                    .join();
        }
    }
}
