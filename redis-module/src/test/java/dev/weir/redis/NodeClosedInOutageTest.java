package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A node that is closed in a pause between two probes of the server, in virtual time: the server may be there again by then. */
class NodeClosedInOutageTest extends OnAServer {

    private static final Duration A_MOMENT = Duration.ofMillis(1);
    private static final Duration DEADLINE = Duration.ofMillis(50);
    private static final int MANY = 20;

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final Commands server = new JedisCommands(host);
    private final List<RateLimiter> limiters = new ArrayList<>();
    private Commands way = server;
    private int failed;
    private final RedisRateLimiters fleet = Nodes.on(
            (script, keys, arguments, listener) -> way.run(script, keys, arguments, listener),
            RedisOptions.defaults().deadline(DEADLINE));

    @BeforeEach
    void forgetAll() {
        host.flush();
    }

    private RateLimiter limiter(String name) {
        RateLimiter made =
                fleet.builder(name, Limit.concurrency(1)).timeSource(time).build();
        limiters.add(made);
        return made;
    }

    private RateLimiter holding(String name) {
        RateLimiter made = limiter(name);
        Lease lease = made.acquire().join();
        assertThat(lease.source()).isEqualTo(DecisionSource.REMOTE);
        time.advanceBy(A_MOMENT);
        return made;
    }

    private void failsWith(RuntimeException cause) {
        way = (script, keys, arguments, listener) -> {
            failed++;
            listener.failed(cause);
        };
    }

    /** Has it probe the server. */
    private static void probe(RateLimiter limiter) {
        assertThat(limiter.availablePermits()).isNotNegative();
    }

    private static void checkNothingIsHeld() {
        assertThat(host.jedis().keys("*")).isEmpty();
    }

    @Test
    @DisplayName("what a limiter holds goes back though its latest call was one too many")
    void afterACallTooMany() {
        RateLimiter slot = holding("slot");
        failsWith(new TooManyCallsException(1));
        probe(slot);
        assertThat(failed).isOne();
        way = server;
        time.advanceBy(Duration.ofMillis(10));
        fleet.close();
        checkNothingIsHeld();
    }

    @Test
    @DisplayName("so it does though its latest answer came too late")
    void afterALateAnswer() {
        RateLimiter slot = holding("slot");
        ManualCommands held = new ManualCommands(server);
        way = held;
        probe(slot);
        time.advanceBy(DEADLINE.plus(A_MOMENT));
        held.answerAll();
        way = server;
        fleet.close();
        assertThat(held.asked).hasSize(1);
        checkNothingIsHeld();
    }

    @Test
    @DisplayName("so it does though others have probed in vain so often that nobody does for a while")
    void whileOthersWait() {
        holding("slot");
        failsWith(new IllegalStateException("gone"));
        for (int i = 0; i < 4; i++) {
            probe(limiter("other " + i));
        }
        assertThat(failed).as("then nobody asks any more").isEqualTo(3);
        way = server;
        fleet.close();
        checkNothingIsHeld();
    }

    @Test
    @DisplayName("if the server is not there, each has tried once, and then they probe as seldom as ever")
    void gone() {
        for (int i = 0; i < MANY; i++) {
            holding("slot " + i);
        }
        failsWith(new IllegalStateException("gone"));
        fleet.close();
        assertThat(failed).isEqualTo(MANY);
        time.advanceBy(Duration.ofSeconds(5));
        assertThat(failed).isBetween(MANY + 1, MANY + 12); // of all together, at random distances
        way = server;
        time.advanceBy(Duration.ofSeconds(4));
        checkNothingIsHeld();
    }
}
