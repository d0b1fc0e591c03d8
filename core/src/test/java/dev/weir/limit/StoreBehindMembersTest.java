package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Limits that are made of others, of which some keep their permits elsewhere: what those tell, and are told, is passed on. */
class StoreBehindMembersTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final IllegalStateException trouble = new IllegalStateException("on purpose");
    private final List<String> calls = new ArrayList<>();
    private final Store first = new Store("first");
    private final Store second = new Store("second");
    private final PermitPolicy all =
            Limit.allOf(Limit.of(3, SECOND), first, second.countingCalls()).newPolicy(0);

    @Test
    @DisplayName("each is told that the limiter is closed, also when one of them throws")
    void told() {
        all.close();
        assertThat(calls).containsExactly("first closes", "second closes");
        calls.clear();
        first.has = trouble;
        second.has = new IllegalStateException("as well");
        assertThatIllegalStateException().isThrownBy(all::close).isSameAs(trouble);
        assertThat(calls).containsExactly("first closes", "second closes");
    }

    @Test
    @DisplayName("a permit taken in vain is put back, as one request where requests are counted")
    void putBack() {
        assertThat(all.tryTake(2, 5)).isZero();
        all.putBack(2, 5, 6);
        assertThat(calls).containsExactly("first puts back 2 of 5 at 6", "second puts back 1 of 5 at 6");
        assertThat(all.available(6)).isEqualTo(3);
        calls.clear();
        second.breaksItsWord = true;
        assertThat(all.tryTake(2, 7)).isEqualTo(PermitPolicy.AWAIT_SIGNAL);
        assertThat(calls).containsExactly("first puts back 2 of 7 at 7");
    }

    @Test
    @DisplayName("the first trouble there is, is the trouble; who decides is the one furthest from the usual")
    void tell() {
        assertThat(all.failure(0)).isNull();
        assertThat(all.source(0)).isEqualTo(DecisionSource.LOCAL);
        second.has = trouble;
        second.source = DecisionSource.REMOTE;
        assertThat(all.failure(0)).isSameAs(trouble);
        assertThat(all.source(0)).isEqualTo(DecisionSource.REMOTE);
        first.has = new IllegalStateException("before");
        first.source = DecisionSource.FALLBACK;
        assertThat(all.failure(0)).isSameAs(first.has);
        assertThat(all.source(0)).isEqualTo(DecisionSource.FALLBACK);
    }

    @Test
    @DisplayName("a request of several limits is undecided while one of them is, unless another refuses")
    void undecided() {
        assertThat(all.nanosUntilDecided(1, 0)).isZero();
        second.undecidedNanos = 5;
        assertThat(all.nanosUntilDecided(2, 0)).isEqualTo(5);
        first.undecidedNanos = 7;
        assertThat(all.nanosUntilDecided(2, 0)).isEqualTo(7);
        all.charge(3, 0);
        assertThat(all.nanosUntilDecided(2, 0)).isZero();
    }

    /** A limit whose permits are kept elsewhere, and its policy. */
    private final class Store extends AlwaysGranting implements Limit {

        private final String name;
        private @Nullable RuntimeException has;
        private DecisionSource source = DecisionSource.LOCAL;
        private long undecidedNanos;
        private boolean breaksItsWord;

        Store(String name) {
            this.name = name;
        }

        @Override
        public PermitPolicy newPolicy(long nowNanos) {
            return this;
        }

        @Override
        public int capacity() {
            return Integer.MAX_VALUE;
        }

        @Override
        public long tryTake(int permits, long nowNanos) {
            return breaksItsWord ? AWAIT_SIGNAL : TAKEN;
        }

        @Override
        public void putBack(int permits, long takenAtNanos, long nowNanos) {
            calls.add(name + " puts back " + permits + " of " + takenAtNanos + " at " + nowNanos);
        }

        @Override
        public void close() {
            calls.add(name + " closes");
            if (has != null) {
                throw has;
            }
        }

        @Override
        public @Nullable Throwable failure(long nowNanos) {
            return has;
        }

        @Override
        public DecisionSource source(long nowNanos) {
            return source;
        }

        @Override
        public long nanosUntilDecided(int permits, long nowNanos) {
            return undecidedNanos;
        }
    }
}
