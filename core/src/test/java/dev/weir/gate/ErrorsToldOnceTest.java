package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Every error is told once: to downstream, or as one that downstream could not be told. */
class ErrorsToldOnceTest {

    private final List<String> told = new ArrayList<>();
    private final TestStream stream = new TestStream() {
        @Override
        public void error(Throwable error) {
            told.add("error " + error.getMessage());
        }

        @Override
        public void errorDropped(Throwable error) {
            told.add("dropped " + error.getMessage());
        }
    };
    private final StreamFailure failure = new StreamFailure(stream);
    private final Losses<Integer> losses = new Losses<>(stream, failure, null);
    private final StreamSource<Integer> source = new StreamSource<>(stream, losses, failure);
    private final Lanes<Integer> none =
            new PulledLanes<>(new PulledLane<>(RateLimiter.of(Limit.unlimited()), stream, failure));
    private final Termination<Integer> termination = new Termination<>(stream, source, losses, failure, null);

    @Test
    @DisplayName("an error of the source that comes while the stream ends by another")
    void comesBesideAnother() {
        termination.end(none, new IllegalStateException("refused"));
        source.fail(new IllegalStateException("source"));
        termination.cleanUp(none);
        termination.cleanUp(none);
        assertThat(told).containsExactly("error refused", "dropped source");
    }

    @Test
    @DisplayName("an error of the source that another overtakes")
    void overtaken() {
        source.fail(new IllegalStateException("source"));
        termination.end(none, new IllegalStateException("refused"));
        termination.cleanUp(none);
        assertThat(told).containsExactly("dropped source", "error refused");
    }

    @Test
    @DisplayName("an error of the source with which the stream ends")
    void ofTheSource() {
        Throwable error = new IllegalStateException("source");
        source.fail(error);
        termination.end(none, error);
        termination.cleanUp(none);
        assertThat(told).containsExactly("error source");
    }

    @Test
    @DisplayName("an error of the source that comes while downstream cancels; one before it concerns nobody any more")
    void comesBesideCancel() {
        termination.cleanUp(none);
        source.fail(new IllegalStateException("source"));
        termination.cleanUp(none);
        assertThat(told).containsExactly("dropped source");
    }

    @Test
    @DisplayName("an error of the source that waits behind elements as downstream cancels concerns nobody any more")
    void waitsAsDownstreamCancels() {
        source.fail(new IllegalStateException("source"));
        termination.cleanUp(none);
        termination.cleanUp(none);
        assertThat(told).isEmpty();
    }

    @Test
    @DisplayName("a failure beside an error with which the stream ends is told by it")
    void besideTheErrorItEndsWith() {
        Throwable other = new IllegalStateException("failure");
        Throwable error = new IllegalStateException("error");
        failure.set(other);
        termination.end(none, error);
        assertThat(told).containsExactly("error error");
        assertThat(error).hasSuppressedException(other);
    }

    @Test
    @DisplayName("a failure beside an error that suppresses nothing is told apart")
    void besideAnErrorThatSuppressesNothing() {
        failure.set(new IllegalStateException("failure"));
        termination.end(none, new Exception("error", null, false, true) {});
        assertThat(told).containsExactly("dropped failure", "error error");
    }
}
