package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Lease;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Demand and cancellation reach the upstream once, whether it is there already or arrives later. */
class LateUpstreamTest {

    private final List<String> heard = new ArrayList<>();
    private Runnable onCancel = () -> {};

    private final LateUpstream<String> upstream = new LateUpstream<>(new QuietCall<String>() {
        @Override
        public void requestFromSource(String name, long elements) {
            heard.add(name + " requested " + elements);
        }

        @Override
        public void cancelSource(String name) {
            heard.add(name + " cancelled");
            onCancel.run();
        }

        @Override
        public void subscribe(Lease lease) {
            throw new AssertionError("only its upstream is asked");
        }

        @Override
        public void complete() {
            throw new AssertionError("only its upstream is asked");
        }

        @Override
        public void error(Throwable error) {
            throw new AssertionError(error);
        }

        @Override
        public void errorDropped(Throwable error) {
            throw new AssertionError(error);
        }
    });

    @Test
    @DisplayName("demand from before it arrives is passed on in one, later demand at once")
    void demand() {
        upstream.request(2);
        upstream.request(3);
        assertThat(upstream.stored()).isEqualTo(5);
        assertThat(upstream.present()).isNull();
        assertThat(upstream.arrives("a")).isTrue();
        assertThat(upstream.stored()).isZero();
        assertThat(upstream.present()).isEqualTo("a");
        upstream.request(7);
        assertThat(heard).containsExactly("a requested 5", "a requested 7");
    }

    @Test
    @DisplayName("an upstream that arrives without demand is asked for nothing")
    void noDemand() {
        assertThat(upstream.arrives("a")).isTrue();
        assertThat(heard).isEmpty();
    }

    @Test
    @DisplayName("one that is null is thrown back at the source, and does not keep the demand from the next")
    void missing() {
        upstream.request(2);
        assertThatThrownBy(() -> upstream.arrives(null)).isInstanceOf(NullPointerException.class);
        assertThat(upstream.arrives("a")).isTrue();
        assertThat(heard).containsExactly("a requested 2");
    }

    @Test
    @DisplayName("demand adds up to all, at most")
    void atMostAll() {
        upstream.request(Long.MAX_VALUE);
        upstream.request(1);
        upstream.arrives("a");
        assertThat(heard).containsExactly("a requested " + Long.MAX_VALUE);
    }

    @Test
    @DisplayName("a second one is cancelled, and against the protocol")
    void second() {
        upstream.arrives("a");
        assertThat(upstream.arrives("b")).isFalse();
        upstream.request(1);
        assertThat(heard).containsExactly("b cancelled", "a requested 1");
    }

    @Test
    @DisplayName("cancelled: the upstream, too, and then what is to follow; once")
    void cancelled() {
        upstream.arrives("a");
        upstream.cancel(() -> heard.add("then"));
        upstream.cancel(() -> heard.add("again"));
        upstream.request(1);
        assertThat(upstream.end()).isFalse();
        assertThat(upstream.endAndCancel(() -> heard.add("ended"))).isFalse();
        assertThat(upstream.isOver()).isTrue();
        assertThat(upstream.isCancelled()).isTrue();
        assertThat(upstream.isEnded()).isFalse();
        assertThat(upstream.present()).isNull();
        assertThat(heard).containsExactly("a cancelled", "then");
    }

    @Test
    @DisplayName("cancelled before it arrives: it is cancelled as it does, which is no fault")
    void cancelledBefore() {
        upstream.request(1);
        upstream.cancel(() -> heard.add("then"));
        assertThat(upstream.stored()).isZero();
        assertThat(upstream.arrives("a")).isTrue();
        assertThat(heard).containsExactly("then", "a cancelled");
    }

    @Test
    @DisplayName("ended: nothing is cancelled or requested any more")
    void ended() {
        upstream.arrives("a");
        assertThat(upstream.isOver()).isFalse();
        assertThat(upstream.end()).isTrue();
        assertThat(upstream.end()).as("once").isFalse();
        assertThat(upstream.isOver()).isTrue();
        assertThat(upstream.isEnded()).isTrue();
        assertThat(upstream.isCancelled()).isFalse();
        upstream.cancel(() -> heard.add("then"));
        upstream.request(1);
        assertThat(heard).isEmpty();
    }

    @Test
    @DisplayName(
            "ended while the upstream goes on: it is cancelled, and then what is to follow; for downstream it is an end")
    void endedAndCancelled() {
        upstream.arrives("a");
        assertThat(upstream.endAndCancel(() -> heard.add("then"))).isTrue();
        assertThat(upstream.isEnded()).isTrue();
        assertThat(upstream.isCancelled()).isFalse();
        assertThat(heard).containsExactly("a cancelled", "then");
    }

    @Test
    @DisplayName("an upstream that throws as it is cancelled: what is to follow does, all the same")
    void throwing() {
        onCancel = () -> {
            throw new IllegalStateException("on purpose");
        };
        upstream.arrives("a");
        assertThatThrownBy(() -> upstream.cancel(() -> heard.add("then"))).hasMessage("on purpose");
        assertThat(heard).containsExactly("a cancelled", "then");
    }
}
