package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.CorePublisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

/** Rule 1.9: what keeps a stream from beginning is said to downstream, after its subscription, and not thrown. */
class BrokenLimitTest {

    private final IllegalStateException broken = new IllegalStateException("on purpose");

    @AfterEach
    void unhook() {
        Hooks.resetOnOperatorError();
    }

    private final Limit limit = new Limit() {
        @Override
        public int capacity() {
            return 1;
        }

        @Override
        public PermitPolicy newPolicy(long nowNanos) {
            throw broken;
        }
    };

    /** As the operator below it would, which subscribes without the net that users have. */
    private static Throwable failureOf(Publisher<Integer> limited) {
        Ledger<Integer> ledger = Ledger.unbounded();
        ((CorePublisher<Integer>) limited).subscribe(ledger);
        return ledger.error;
    }

    @Test
    @DisplayName("a limit that has no policy to give: nothing is thrown where an operator subscribes")
    void noPolicy() {
        assertThat(failureOf(Flux.just(1).transform(RateLimit.of(limit)))).isSameAs(broken);
        assertThat(failureOf(Mono.just(1).transform(RateLimit.of(limit)))).isSameAs(broken);
    }

    @Test
    @DisplayName("nor is what a hook throws that hears of it: downstream hears of that")
    void hookThatThrows() {
        IllegalArgumentException ofHook = new IllegalArgumentException("of the hook");
        Hooks.onOperatorError((error, value) -> {
            throw ofHook;
        });
        assertThat(failureOf(Flux.just(1).transform(RateLimit.of(limit)))).isSameAs(ofHook);
        assertThat(failureOf(Mono.just(1).transform(RateLimit.of(limit)))).isSameAs(ofHook);
    }
}
