package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** Sources with a queue: the operator takes from it itself where the source is at its end when it is empty, and only there. */
class FusionTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final RateLimiter two = Ledger.limiter(new VirtualTimeSource(), 2, SECOND);
    private final AtomicInteger closed = new AtomicInteger();

    @Test
    @DisplayName("an element from publishOn goes on on its thread, not on that of the request")
    void publishOnKeepsItsThread() {
        Queue<Runnable> line = new ArrayDeque<>();
        Ledger<Integer> ledger = Ledger.unbounded();
        Flux.range(1, 3)
                .publishOn(Schedulers.fromExecutor(line::add))
                .transform(RateLimit.of(Limit.of(5, SECOND)))
                .subscribe(ledger);
        assertThat(ledger.received()).isEmpty();
        for (Runnable task; (task = line.poll()) != null; ) {
            task.run();
        }
        assertThat(ledger.received()).containsExactly(1, 2, 3);
        assertThat(ledger.completed).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    @DisplayName("a source closes what it has opened when its last element has gone, though nobody asks for more")
    void closesAtTheEnd(int elements) {
        Ledger<Integer> ledger = new Ledger<>(elements);
        opening(List.of(1, 2).subList(0, elements))
                .transform(RateLimit.with(two))
                .subscribe(ledger);
        assertThat(ledger.received()).hasSize(elements);
        assertThat(ledger.completed).isTrue();
        assertThat(closed).hasValue(1);
    }

    @Test
    @DisplayName("a Java stream as a source is closed when it is over")
    void closesStream() {
        Ledger<Integer> ledger = new Ledger<>(2);
        Flux.fromStream(() -> Stream.of(1, 2).onClose(closed::incrementAndGet))
                .transform(RateLimit.with(two))
                .subscribe(ledger);
        assertThat(ledger.completed).isTrue();
        assertThat(closed).hasValue(1);
    }

    @Test
    @DisplayName("a source whose queue fails is cancelled, and so closes what it has opened")
    void closesWhenTheQueueFails() {
        Ledger<Integer> ledger = new Ledger<>(1);
        Iterable<Integer> broken =
                () -> Stream.iterate(1, row -> row - 1).map(row -> 1 / row).iterator();
        opening(broken).transform(RateLimit.with(two)).subscribe(ledger);
        ledger.request(1);
        assertThat(ledger.received()).containsExactly(1);
        assertThat(ledger.error).isInstanceOf(ArithmeticException.class);
        assertThat(closed).hasValue(1);
    }

    private static Iterable<Integer> failingWith(Runnable failure) {
        return () -> Stream.of(1, 2, 3)
                .peek(row -> {
                    if (row >= 2) {
                        failure.run();
                    }
                })
                .iterator();
    }

    @Test
    @DisplayName("a source's failure comes downstream as it is, also a checked one")
    void checkedFailures() {
        IOException failure = new IOException("unreadable");
        Ledger<Integer> ledger = Ledger.unbounded();
        Flux.fromIterable(failingWith(() -> {
                    throw Exceptions.propagate(failure);
                }))
                .transform(RateLimit.with(two))
                .subscribe(ledger);
        assertThat(ledger.received()).containsExactly(1);
        assertThat(ledger.error).isSameAs(failure);
    }

    @Test
    @DisplayName("a source that fails fatally: the thread hears of it, and what is open is closed")
    void fatal() {
        Ledger<Integer> ledger = new Ledger<>(0);
        opening(failingWith(() -> {
                    throw new LinkageError("fatal");
                }))
                .transform(RateLimit.with(two))
                .subscribe(ledger);
        assertThatThrownBy(() -> ledger.request(2)).isInstanceOf(LinkageError.class);
        assertThat(ledger.error).isNull();
        assertThat(ledger.completed).isFalse();
        assertThat(closed).hasValue(1);
    }

    /** A source that has something to close, as one that reads a file. */
    private Flux<Integer> opening(Iterable<Integer> rows) {
        return Flux.using(() -> rows, Flux::fromIterable, opened -> closed.incrementAndGet());
    }
}
