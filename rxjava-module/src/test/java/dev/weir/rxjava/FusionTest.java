package dev.weir.rxjava;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.QueueOrder;
import dev.weir.RateLimitExceededException;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.operators.QueueFuseable;
import io.reactivex.rxjava3.operators.QueueSubscription;
import io.reactivex.rxjava3.processors.UnicastProcessor;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.reactivex.rxjava3.subscribers.TestSubscriber;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Sources whose queue the operator takes from itself. */
class FusionTest {

    private static final RateLimiter UNLIMITED = RateLimiter.of(Limit.unlimited());

    @RegisterExtension
    final Plugins plugins = Plugins.withVirtualTime();

    private final Minute minute = new Minute();

    @Test
    @DisplayName("a synchronous source is taken from element by element, and only by permit")
    void synchronous() {
        AtomicInteger read = new AtomicInteger();
        Iterable<Integer> numbers =
                () -> IntStream.range(0, 3).peek(item -> read.incrementAndGet()).iterator();
        TestSubscriber<Integer> subscriber = Flowable.fromIterable(numbers)
                .compose(RateLimit.with(minute.limiter, minute.options))
                .test(0);
        subscriber.request(5);
        subscriber.assertValues(0);
        assertThat(read.get())
                .as("the one whose permit is awaited, and one to know whether there is more")
                .isBetween(2, 3);
        minute.pass();
        minute.pass();
        subscriber.assertResult(0, 1, 2);
    }

    @Test
    @DisplayName("a source's resource is closed once, however the stream ends")
    void closesWhatIsOpen() {
        for (String end : List.of("completed", "cancelled", "taken", "refused", "failed")) {
            AtomicInteger closed = new AtomicInteger();
            Stream<Integer> opened = IntStream.range(0, 3)
                    .boxed()
                    .peek(item -> {
                        if (item == 2 && end.equals("failed")) {
                            throw new IllegalStateException("unreadable");
                        }
                    })
                    .onClose(closed::incrementAndGet);
            Flowable<Integer> limited = end.equals("refused")
                    ? Flowable.fromStream(opened)
                            .compose(RateLimit.of(
                                    Limit.of(1, Duration.ofMinutes(1)),
                                    StreamOptions.defaults().maxWait(Duration.ZERO)))
                    : Flowable.fromStream(opened).compose(RateLimit.with(UNLIMITED));
            switch (end) {
                case "cancelled" -> limited.test(1).cancel();
                case "taken" -> limited.take(2).test().assertResult(0, 1);
                case "failed" -> limited.test().assertFailure(IllegalStateException.class, 0, 1);
                case "refused" -> limited.test().assertFailure(RateLimitExceededException.class, 0);
                default -> limited.test().assertResult(0, 1, 2);
            }
            assertThat(closed).as(end).hasValue(1);
        }
    }

    @Test
    @DisplayName("a source that fails fatally: the thread hears of it")
    void fatal() {
        Iterable<Integer> numbers = () -> List.of(1, 2, 3).stream()
                .map(item -> {
                    if (item == 2) {
                        throw new LinkageError("fatal");
                    }
                    return item;
                })
                .iterator();
        TestSubscriber<Integer> subscriber = TestSubscriber.create(0);
        Flowable.fromIterable(numbers).compose(RateLimit.with(UNLIMITED)).subscribe(subscriber);
        assertThatThrownBy(() -> subscriber.request(2)).isInstanceOf(LinkageError.class);
        subscriber.assertNotComplete().assertNoErrors();
    }

    @Test
    @DisplayName("an empty one completes without demand; a full one does not")
    void emptySynchronous() {
        Flowable.fromIterable(List.of())
                .compose(RateLimit.with(UNLIMITED))
                .test(0)
                .assertResult();
        Flowable.fromIterable(List.of(1))
                .compose(RateLimit.with(UNLIMITED))
                .test(0)
                .assertEmpty();
        Flowable.fromIterable(List.of(1))
                .compose(RateLimit.with(UNLIMITED))
                .test(1)
                .assertResult(1);
    }

    @Test
    @DisplayName("a source that only fuses asynchronously is not fused, and loses nothing that is in its queue")
    void asynchronous() {
        UnicastProcessor<Integer> source = UnicastProcessor.create();
        TestSubscriber<Integer> subscriber =
                source.compose(RateLimit.with(minute.limiter, minute.options)).test(2);
        source.onNext(1);
        source.onNext(2);
        source.onNext(3);
        source.onComplete();
        subscriber.assertValues(1);
        minute.pass();
        subscriber.assertValues(1, 2).assertNotComplete();
        minute.pass();
        subscriber.request(1);
        subscriber.assertResult(1, 2, 3);
    }

    @Test
    @DisplayName("nor is it fused when it fails: its error comes after its elements")
    void asynchronousError() {
        UnicastProcessor<Integer> source = UnicastProcessor.create();
        TestSubscriber<Integer> subscriber =
                source.compose(RateLimit.with(minute.limiter, minute.options)).test();
        fail(source);
        subscriber.assertValues(1).assertNoErrors();
        minute.pass();
        minute.pass();
        subscriber.assertFailure(IllegalStateException.class, 1, 2, 3);
    }

    @Test
    @DisplayName("an error that cuts ahead cuts off no more than the elements held when it is told")
    void asynchronousErrorCutsAhead() {
        UnicastProcessor<Integer> source = UnicastProcessor.create();
        TestSubscriber<Integer> subscriber = source.compose(
                        RateLimit.with(minute.limiter, minute.options.errorsCutAhead()))
                .test();
        fail(source);
        subscriber.assertValues(1).assertNoErrors();
        minute.pass();
        subscriber.assertFailure(IllegalStateException.class, 1, 2);
        assertThat(minute.dropped).containsExactly(3);
    }

    private static void fail(UnicastProcessor<Integer> source) {
        source.onNext(1);
        source.onNext(2);
        source.onNext(3);
        source.onError(new IllegalStateException("forced"));
    }

    @Test
    @DisplayName("cancelled, the queue of the source is cleared and the element in hand dropped")
    void cancelled() {
        Numbers numbers = new Numbers(QueueFuseable.SYNC);
        TestSubscriber<Integer> subscriber = numbers.source()
                .compose(RateLimit.with(minute.exhausted().limiter, minute.options))
                .test();
        subscriber.cancel();
        assertThat(minute.dropped).containsExactly(1);
        assertThat(minute.limiter.statistics().queuedPermits()).isZero();
        assertThat(numbers.cancels).isOne();
        assertThat(numbers.clears).isPositive();
    }

    @Test
    @DisplayName("an element from observeOn goes on on its thread, not on that of the request")
    void asynchronousThread() {
        Queue<Runnable> line = new ArrayDeque<>();
        TestSubscriber<Integer> subscriber = Flowable.range(1, 3)
                .observeOn(Schedulers.from(line::add))
                .compose(RateLimit.of(Limit.of(5, Duration.ofSeconds(1))))
                .test();
        subscriber.assertEmpty();
        for (Runnable task; (task = line.poll()) != null; ) {
            task.run();
        }
        subscriber.assertResult(1, 2, 3);
    }

    @Test
    @DisplayName("a queue that throws fails the stream")
    void pollThrows() {
        Flowable.range(1, 5)
                .map(item -> 6 / (3 - item))
                .compose(RateLimit.with(UNLIMITED))
                .test()
                .assertFailure(ArithmeticException.class, 3, 6);
        Iterable<Integer> broken =
                () -> Stream.of(1, 2, 3).map(item -> 6 / (3 - item)).iterator();
        Flowable.fromIterable(broken)
                .compose(RateLimit.with(UNLIMITED))
                .test()
                .assertFailure(ArithmeticException.class, 3, 6);
    }

    @Test
    @DisplayName("a source that runs user code in its queue is told of the boundary, and keeps its thread")
    void boundary() {
        Numbers numbers = new Numbers(QueueFuseable.NONE);
        numbers.source().compose(RateLimit.with(UNLIMITED)).test().cancel();
        assertThat(numbers.asked).containsExactly(QueueFuseable.SYNC | QueueFuseable.BOUNDARY);
    }

    @Test
    @DisplayName("never with a buffer, newest first, eviction or costs: there the elements must be in hand")
    void notFused() {
        Numbers numbers = new Numbers(QueueFuseable.NONE);
        Flowable<Integer> source = numbers.source();
        StreamOptions options = StreamOptions.defaults();
        source.compose(RateLimit.with(UNLIMITED, options.buffer(5))).test().cancel();
        source.compose(RateLimit.with(UNLIMITED, options.prefetch(5).order(QueueOrder.NEWEST_FIRST)))
                .test()
                .cancel();
        source.compose(RateLimit.weighted(UNLIMITED, item -> 1)).test().cancel();
        assertThat(numbers.asked).isEmpty();
    }

    /** A queue of 1, 2 and 3 that notes what it is asked for, and when it is let go. Sends nothing by itself. */
    private static final class Numbers implements QueueSubscription<Integer> {

        private final int fusion;
        private final List<Integer> asked = new ArrayList<>();
        private int last;
        private int cancels;
        private int clears;

        /** With the fusion that it grants, whatever it is asked for. */
        Numbers(int fusion) {
            this.fusion = fusion;
        }

        Flowable<Integer> source() {
            return Flowable.fromPublisher(subscriber -> subscriber.onSubscribe(this));
        }

        @Override
        public int requestFusion(int mode) {
            asked.add(mode);
            return fusion;
        }

        @Override
        public boolean offer(Integer element) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean offer(Integer first, Integer second) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Integer poll() {
            return isEmpty() ? null : ++last;
        }

        @Override
        public boolean isEmpty() {
            return last == 3;
        }

        @Override
        public void clear() {
            clears++;
            last = 3;
        }

        @Override
        public void request(long elements) {}

        @Override
        public void cancel() {
            cancels++;
        }
    }
}
