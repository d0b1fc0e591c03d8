package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.PartitionSelectorException;
import io.lettuce.core.cluster.UnknownPartitionException;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What could not be told when it happened, in virtual time. */
class UnsentTest {

    private static final Limit LIMIT = Limit.of(10, Duration.ofHours(1));
    private static final Duration A_WHILE = Duration.ofSeconds(2);

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final ModelStore model = new ModelStore(LIMIT, time);
    private final List<Question> asked = new ArrayList<>();
    private final Node node = Nodes.node();
    private RuntimeException refusal;
    private boolean isChargeable = true;

    private RateLimiter limiter(WhenUnavailable choice) {
        return limiter(choice, 1);
    }

    private RateLimiter limiter(WhenUnavailable choice, int nodes) {
        NodeSettings settings = ModelFleet.settings(choice, nodes);
        return ModelFleet.builder(LIMIT, this::ask, node, settings)
                .timeSource(time)
                .build();
    }

    private void ask(Limit limit, Question question, Store.Listener listener) {
        if (refusal != null) {
            listener.failed(refusal);
        } else if (question.mostCharged() > 0 && !isChargeable) {
            listener.failed(new RedisException("Currently not connected. Commands are rejected."));
        } else {
            asked.add(question);
            model.ask(limit, question, listener);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LOCAL", "ALLOW"})
    @DisplayName("a grant admitted alone, reported and then given back does not make the next outage free")
    void givenBackAfterwards(WhenUnavailable choice) {
        RateLimiter limiter = limiter(choice);
        for (int outage = 0; outage < 3; outage++) {
            Lease alone = alone(limiter);
            assertThat(toldLater(limiter)).isEqualTo(4);
            alone.giveBack();
            time.advanceBy(Duration.ofHours(2));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LOCAL", "ALLOW"})
    @DisplayName("a grant given back in the next outage does not make that free")
    void givenBackInTheNext(WhenUnavailable choice) {
        RateLimiter limiter = limiter(choice);
        Lease first = alone(limiter);
        assertThat(toldLater(limiter)).isEqualTo(4);
        time.advanceBy(Duration.ofHours(2));
        Lease second = alone(limiter);
        first.giveBack();
        assertThat(toldLater(limiter)).as("as %s counts", second).isEqualTo(4);
    }

    private Lease alone(RateLimiter limiter) {
        refusal = new IllegalStateException("reset");
        Lease lease = limiter.acquire(4).join();
        assertThat(lease.source()).isEqualTo(DecisionSource.FALLBACK);
        return lease;
    }

    /** Returns how much is charged when the store is back. */
    private long toldLater(RateLimiter limiter) {
        refusal = null;
        asked.clear();
        time.advanceBy(A_WHILE);
        Lease unused = limiter.tryAcquire(0);
        return asked.stream().mapToLong(Question::mostCharged).sum();
    }

    @ParameterizedTest
    @EnumSource(WhenUnavailable.class)
    @DisplayName("a grant or charge in an outage is not reported once it counts no more")
    void longAgo(WhenUnavailable choice) {
        RateLimiter limiter = limiter(choice);
        refusal = new IllegalStateException("reset");
        Lease alone = limiter.tryAcquire(2);
        limiter.charge(2);
        time.advanceBy(Duration.ofHours(2));
        refusal = null;
        Lease unused = limiter.tryAcquire(0);
        assertThat(asked)
                .isNotEmpty()
                .allSatisfy(question ->
                        assertThat(question.mostCharged()).as("after %s", alone).isZero());
    }

    @Test
    @DisplayName("a share is charged once for its grants, however often the store comes and goes")
    void flapping() {
        RateLimiter limiter = limiter(WhenUnavailable.LOCAL);
        refusal = new IllegalStateException("reset");
        assertThat(limiter.acquire(4)).isCompletedWithValueMatching(lease -> lease.source() == DecisionSource.FALLBACK);
        refusal = null;
        isChargeable = false;
        for (int flap = 0; flap < 3; flap++) {
            time.advanceBy(A_WHILE);
            Lease unused = limiter.tryAcquire(0);
            assertThat(limiter.availablePermits()).isEqualTo(6);
        }
        isChargeable = true;
        asked.clear();
        time.advanceBy(A_WHILE);
        Lease unused = limiter.tryAcquire(0);
        assertThat(asked.stream().mapToLong(Question::mostCharged).sum()).isEqualTo(4);
    }

    @Test
    @DisplayName("a charge while nodes settle is taken from the share once, even if reported late")
    void chargedWhileSettling() {
        RateLimiter limiter = limiter(WhenUnavailable.LOCAL, 2);
        refusal = new IllegalStateException("reset");
        assertThat(limiter.tryAcquire().source()).isEqualTo(DecisionSource.FALLBACK);
        refusal = null;
        time.advanceBy(Duration.ofSeconds(1));
        assertThat(limiter.availablePermits()).isEqualTo(4);
        isChargeable = false;
        limiter.charge(2);
        assertThat(limiter.availablePermits()).isEqualTo(2);
        isChargeable = true;
        asked.clear();
        time.advanceBy(A_WHILE);
        Lease unused = limiter.tryAcquire(0);
        assertThat(asked.stream().mapToLong(Question::mostCharged).sum()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(WhenUnavailable.class)
    @DisplayName(
            "a request that has booked does not wait for that, when a question that could not be sent ends its booking")
    void bookedMeanwhile(WhenUnavailable choice) {
        RateLimiter limiter = limiter(choice);
        assertThat(limiter.acquire(10).join().isAcquired()).isTrue();
        CompletableFuture<Lease> waiting = limiter.acquire();
        time.advanceBy(Duration.ofSeconds(1));
        assertThat(waiting).isNotDone();

        refusal = new TooManyCallsException(1);
        long unused = limiter.availablePermits();
        time.advanceBy(Duration.ZERO);

        assertThat(waiting).isCompletedWithValueMatching(lease -> lease.source() == DecisionSource.FALLBACK);
    }

    private Lease taken(RateLimiter limiter) {
        Lease lease = limiter.acquire(2).join();
        time.advanceBy(A_WHILE);
        return lease;
    }

    private void checkTold(RateLimiter limiter, Lease before) {
        limiter.charge(3);
        limiter.charge(1);
        before.giveBack();
        refusal = null;
        asked.clear();
        time.advanceBy(A_WHILE);
        Lease unused = limiter.tryAcquire(0);
        assertThat(asked.stream().mapToLong(Question::mostCharged).sum()).isEqualTo(4);
        assertThat(asked.stream().flatMap(question -> question.undone().stream()))
                .extracting(Slot::permits)
                .containsExactly(2);
    }

    @ParameterizedTest
    @EnumSource(WhenUnavailable.class)
    @DisplayName("as too many calls are under way")
    void tooManyCalls(WhenUnavailable choice) {
        RateLimiter limiter = limiter(choice);
        Lease before = taken(limiter);
        refusal = new TooManyCallsException(1);
        checkTold(limiter, before);
    }

    @ParameterizedTest
    @EnumSource(WhenUnavailable.class)
    @DisplayName("as the client takes no commands while it is not connected")
    void notConnected(WhenUnavailable choice) {
        RateLimiter limiter = limiter(choice);
        Lease before = taken(limiter);
        refusal = new RedisException("Currently not connected. Commands are rejected.");
        checkTold(limiter, before);
    }

    @ParameterizedTest
    @EnumSource(WhenUnavailable.class)
    @DisplayName("as there is no connection to the node that keeps the key")
    void noWay(WhenUnavailable choice) {
        RateLimiter limiter = limiter(choice);
        Lease before = taken(limiter);
        refusal = new RedisConnectionException("Unable to connect to 127.0.0.1:6379");
        checkTold(limiter, before);
    }

    @ParameterizedTest
    @EnumSource(WhenUnavailable.class)
    @DisplayName("as there has been no connection yet")
    void notConnectedYet(WhenUnavailable choice) {
        RateLimiter limiter = limiter(choice);
        Lease before = taken(limiter);
        refusal = failureOf(new LateConnection<>(() -> null, connection -> null, cause -> {}, time));
        checkTold(limiter, before);
    }

    @ParameterizedTest
    @EnumSource(WhenUnavailable.class)
    @DisplayName(
            "as there is no connection to a node of a cluster, which the client says as the cause of something else")
    void noWayInACluster(WhenUnavailable choice) {
        RuntimeException wrapped =
                new CompletionException(new RedisConnectionException("Unable to connect to 127.0.0.1:6379"));
        RateLimiter limiter = limiter(choice);
        Lease before = taken(limiter);
        refusal = failureOf(new LettuceCommands(new FailingWire(wrapped, false)));
        assertThat(refusal).isInstanceOf(RedisConnectionException.class);
        checkTold(limiter, before);
    }

    static Stream<RuntimeException> sentBefore() {
        RuntimeException unreachable = new RedisConnectionException("Unable to connect to 127.0.0.1:6379");
        return Stream.of(
                unreachable,
                new CompletionException(unreachable),
                new RedisException("Currently not connected. Commands are rejected."),
                new PartitionSelectorException("Cannot determine a partition for slot 1.", new Partitions()));
    }

    @ParameterizedTest
    @MethodSource
    @DisplayName("but not where the client had sent it before, over a connection that it has lost")
    void sentBefore(RuntimeException failure) {
        RuntimeException told = failureOf(new LettuceCommands(new FailingWire(failure, true)));
        assertThat(Symptoms.hasDoneNothing(told)).isFalse();
        assertThat(told).cause().isInstanceOf(RedisException.class);
    }

    private record FailingWire(RuntimeException failure, boolean isSent) implements Pipeline.Wire {

        @Override
        public int few() {
            return Integer.MAX_VALUE;
        }

        @Override
        public int most() {
            return 1;
        }

        @Override
        public void write(List<ScriptCall> together) {
            if (isSent) {
                together.forEach(command -> command.encode(Unpooled.buffer()));
            }
            together.forEach(command -> command.completeExceptionally(failure));
        }
    }

    private static RuntimeException failureOf(Commands commands) {
        List<Throwable> heard = new ArrayList<>();
        commands.run(Script.of("return 1"), new String[0], new String[0], new Commands.Listener() {
            @Override
            public void replied(String reply) {
                throw new AssertionError(reply);
            }

            @Override
            public void failed(Throwable cause) {
                heard.add(cause);
            }
        });
        return (RuntimeException) heard.get(0);
    }

    static Stream<Arguments> refusedBeforeItBegan() {
        return Stream.of(
                        new PartitionSelectorException("Cannot determine a partition for slot 1.", new Partitions()),
                        new UnknownPartitionException("Connection to 127.0.0.1:6379 not allowed."),
                        new RedisCommandExecutionException("CLUSTERDOWN Hash slot not served"),
                        new RedisCommandExecutionException("TRYAGAIN Multiple keys request during rehashing of slot"),
                        new RedisCommandExecutionException("MOVED 3999 127.0.0.1:6381"),
                        new RedisCommandExecutionException("ASK 3999 127.0.0.1:6381"),
                        new RedisCommandExecutionException("NOAUTH Authentication required."),
                        new RedisCommandExecutionException(
                                "NOPERM this user has no permissions to run the 'evalsha' command"))
                .flatMap(cause -> Stream.of(WhenUnavailable.values()).map(choice -> Arguments.of(cause, choice)));
    }

    @ParameterizedTest
    @MethodSource
    @DisplayName("as there is no node for the key, or none that takes the question, also from this user")
    void refusedBeforeItBegan(RuntimeException cause, WhenUnavailable choice) {
        RateLimiter limiter = limiter(choice);
        Lease before = taken(limiter);
        refusal = cause;
        checkTold(limiter, before);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "the connection was lost before the answer came",
                "ERR ACL failure in script: User limiter has no permissions to run the 'del' command",
                "NOPERM ACL failure in script: User limiter has no permissions to run the 'del' command"
            })
    @DisplayName("but not where the store may have done it: what was charged is not charged once more")
    void mayHaveBeenDone(String error) {
        RateLimiter limiter = limiter(WhenUnavailable.REFUSE);
        refusal = new RedisCommandExecutionException(error);
        limiter.charge(3);
        refusal = null;
        time.advanceBy(A_WHILE);
        Lease unused = limiter.tryAcquire(0);
        assertThat(asked)
                .isNotEmpty()
                .allSatisfy(question -> assertThat(question.mostCharged()).isZero());
    }

    @Test
    @DisplayName("as nobody on the node asks a store that has failed again and again")
    void nobodyAsks() {
        RateLimiter limiter = limiter(WhenUnavailable.LOCAL);
        Lease before = taken(limiter);
        refusal = new IllegalStateException("reset");
        for (int failures = 0; failures < 3; failures++) {
            Lease unused = limiter(WhenUnavailable.REFUSE).tryAcquire();
        }
        checkTold(limiter, before);
    }
}
