package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Downstream cancels, from within onDropped, while a failing stream drops what it holds: it hears no more. */
class CancelledAsItEndsTest {

    private static final int HELD = 4;

    private enum Failure {
        OF_THE_SOURCE,
        FULL,
        REFUSED
    }

    private final PassingTime time = new PassingTime(new Random(1), 0);
    private final RecordingFailingStream stream = new RecordingFailingStream();
    private final List<Object> dropped = new ArrayList<>();
    private @Nullable ElementGate<Integer> gate;
    private int cancelAt;

    static Stream<Arguments> cases() {
        return Stream.of(Failure.values())
                .flatMap(failure -> IntStream.rangeClosed(2, HELD).mapToObj(nth -> Arguments.of(failure, nth)));
    }

    @ParameterizedTest
    @MethodSource("cases")
    @DisplayName(
            "the error goes to the hook for late errors, the other elements are dropped, and the worker is released")
    void hearsNoMore(Failure failure, int nth) {
        cancelAt = nth;
        ElementGate<Integer> ending = fails(failure);
        assertThat(stream.heard)
                .doesNotContain("error")
                .endsWith("late", "ended")
                .containsOnlyOnce("ended");
        assertThat(dropped).doesNotHaveDuplicates().hasSize(failure == Failure.FULL ? HELD + 1 : HELD);
        assertThat(ending.isCancelled()).isTrue();
        assertThat(ending.isEnded()).isTrue();
        ending.offer(9);
        assertThat(dropped).endsWith(9);
    }

    @Test
    @DisplayName("a cancel when the error has been told comes too late")
    void tooLate() {
        ElementGate<Integer> ended = fails(Failure.OF_THE_SOURCE);
        assertThat(stream.heard).containsExactly("error", "ended");
        ended.cancel();
        assertThat(ended.isCancelled()).isFalse();
        assertThat(stream.heard).containsExactly("error", "ended");
    }

    private ElementGate<Integer> fails(Failure failure) {
        RateLimiter limiter = RateLimiter.builder(Limit.of(1, Duration.ofSeconds(1)))
                .timeSource(time)
                .build();
        limiter.tryAcquire();
        StreamOptions options =
                StreamOptions.defaults().buffer(HELD).errorsCutAhead().onDropped(this::drop);
        ElementGate<Integer> begun = new ElementGate<>(GatePlan.of(limiter, options), stream, stream.worker);
        gate = begun;
        begun.start();
        begun.request(Long.MAX_VALUE);
        for (int element = 1; element <= HELD; element++) {
            begun.offer(element);
        }
        switch (failure) {
            case OF_THE_SOURCE -> begun.fail(new IllegalStateException("on purpose"));
            case FULL -> begun.offer(HELD + 1);
            case REFUSED -> limiter.close();
        }
        return begun;
    }

    private void drop(Object element) {
        dropped.add(element);
        if (dropped.size() == cancelAt && gate != null) {
            gate.cancel();
        }
    }

    private static final class RecordingFailingStream extends RecordingStream {

        @Override
        public void requestFromSource(long elements) {}

        @Override
        public void discard(Integer element) {}

        @Override
        public void error(Throwable error) {
            heard.add("error");
        }

        @Override
        public void errorDropped(Throwable error) {
            heard.add("late");
        }
    }
}
