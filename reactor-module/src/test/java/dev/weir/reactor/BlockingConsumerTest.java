package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.stream.StreamOptions;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Which choices of a thread keep elements on threads that may block, whoever requests them. */
class BlockingConsumerTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final RateLimiter limiter = Ledger.limiter(time, 2, SECOND);
    private final Scheduler mayBlock = Schedulers.newBoundedElastic(1, 10, "may-block");
    private final List<String> threads = new CopyOnWriteArrayList<>();
    private final Ledger<Integer> ledger = Ledger.unbounded();
    private final Flux<Integer> limited = Flux.<Integer>from(this::bringOnThatThread)
            .transform(RateLimit.with(limiter, StreamOptions.defaults().emitOn(mayBlock::schedule)))
            .doOnNext(element -> threads.add(Thread.currentThread().getName().replaceAll("-\\d+$", "")));

    @AfterEach
    void disposeThread() {
        mayBlock.dispose();
    }

    @Test
    @DisplayName("with publishOn, emitOn, and subscribeOn behind the limit, all of them do")
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
    private void receive(Flux<Integer> elements) {
        elements.subscribe(ledger);
        awaitThread();
        time.advanceBy(SECOND);
        awaitThread();
        assertThat(ledger.received()).containsExactly(1, 2, 3, 4);
    }

    /** As publishOn does, if its thread is faster than the one that requests. */
    private void bringOnThatThread(Subscriber<? super Integer> limit) {
        AtomicInteger next = new AtomicInteger();
        limit.onSubscribe(new Subscription() {
            @Override
            public void request(long n) {
                Runnable bring = () -> limit.onNext(next.incrementAndGet());
                if (Thread.currentThread().getName().startsWith("may-block")) {
                    bring.run();
                } else {
                    mayBlock.schedule(bring);
                    awaitThread();
                }
            }

            @Override
            public void cancel() {}
        });
    }

    /** Returns once that scheduler, whose one thread runs tasks in their order, has run what it was given, and what that gave it. */
    private void awaitThread() {
        for (int times = 0; times < 3; times++) {
            Mono.fromRunnable(() -> {}).subscribeOn(mayBlock).block(Duration.ofSeconds(10));
        }
    }
}
