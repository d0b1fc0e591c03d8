package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A chain's request that moves from member to member many times within a short time. */
class ChainsThatMoveOftenTest {

    private final SteppedTime time = new SteppedTime(-3);
    private final RateLimiter a = limiter(Limit.leakyBucket(1, Duration.ofNanos(1)));
    private final RateLimiter b = limiter(Limit.of(1, Duration.ofNanos(26)));
    private final RateLimiter c = limiter(Limit.fixedWindow(1, Duration.ofNanos(13)));
    private final Map<String, RateLimiter> asked = Map.of(
            "a", a,
            "b", b,
            "c", c,
            "ac", RateLimiter.chain(a, c),
            "abc", RateLimiter.chain(a, b, c),
            "(bc)a", RateLimiter.chain(RateLimiter.chain(b, c), a),
            "(ca)b", RateLimiter.chain(RateLimiter.chain(c, a), b));
    private final Map<Integer, String> waiting = new TreeMap<>();
    private int made;

    private RateLimiter limiter(Limit limit) {
        return RateLimiter.builder(limit).timeSource(time).build();
    }

    @Test
    @DisplayName("it keeps a place at the one that lacks permits, and goes as soon as all have them")
    void keepsAPlace() {
        b.tryAcquire();
        c.tryAcquire();
        ask("(bc)a", "(ca)b", "abc", "b");
        time.advanceBy(3);
        ask("ac", "ac");
        time.advanceBy(5);
        ask("b");
        time.advanceBy(3);
        a.pauseFor(Duration.ofNanos(4));
        ask("b");
        time.advanceBy(3);
        ask("ac", "c", "c", "b", "ac", "c", "c", "c", "b", "ac", "c", "c", "c");
        time.advanceBy(26 * 16);
        assertThat(waiting).isEmpty();
        assertThat(time.pendingTasks()).isZero();
    }

    private void ask(String... names) {
        for (String name : List.of(names)) {
            int number = made++;
            waiting.put(number, name);
            asked.get(name).acquire(1, lease -> waiting.remove(number));
        }
    }
}
