package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.testkit.VirtualTimeSource;
import io.lettuce.core.RedisException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A request reads the clock first, and finds out only then that the store does not answer: others are granted permits in between. */
class OutageBeginTest {

    private static final Limit LIMIT = Limit.of(10, Duration.ofHours(1));
    private static final Duration A_MOMENT = Duration.ofNanos(10_000);

    private final VirtualTimeSource time = new VirtualTimeSource(1_000);
    private final ModelStore model = new ModelStore(LIMIT, time);
    private final NodeSettings settings =
            new TestSettings().leaseAhead(10).lifeNanos(100_000_000).build();
    private final FleetPolicy policy = ModelFleet.policy(LIMIT, this::ask, Nodes.node(), time, settings);
    private boolean isBroken;

    private void ask(Limit limit, Question question, Store.Listener listener) {
        if (isBroken) {
            listener.failed(new RedisException("Currently not connected. Commands are rejected."));
        } else {
            model.ask(limit, question, listener);
        }
    }

    private long later() {
        time.advanceBy(A_MOMENT);
        return time.nanoTime();
    }

    private long take(int permits, long nowNanos) {
        return policy.tryTake(permits, nowNanos);
    }

    @Test
    void whatTheStoreGrantedMeanwhileGoesBackToTheStore() {
        assertThat(take(1, time.nanoTime())).isZero();
        long early = time.nanoTime();
        long between = later();
        assertThat(take(3, between)).isZero();
        isBroken = true;
        later();
        assertThat(take(7, early)).isZero();

        assertThat(policy.source(early)).isEqualTo(DecisionSource.FALLBACK);
        assertThat(policy.source(between)).isEqualTo(DecisionSource.REMOTE);
        long now = later();
        assertThat(policy.source(now)).isEqualTo(DecisionSource.FALLBACK);
        assertThat(take(3, now)).isZero();
        policy.settle(3, 0, false, between, now);
        assertThat(take(1, now)).isNotEqualTo(PermitPolicy.TAKEN);
    }

    @Test
    void whatWasGrantedAloneGoesBackToTheShare() {
        long early = time.nanoTime();
        later();
        isBroken = true;
        assertThat(take(10, early)).isZero();
        long now = later();
        assertThat(take(1, now)).isNotEqualTo(PermitPolicy.TAKEN);
        policy.giveBack(10, early, now);
        assertThat(take(10, now)).isZero();
    }

    @Test
    void anotherThatWasHeldUpIsDecidedAloneToo() {
        long first = time.nanoTime();
        long second = later();
        later();
        isBroken = true;
        assertThat(take(4, second)).isZero();
        later();
        assertThat(take(4, first)).isZero();

        assertThat(policy.source(first)).isEqualTo(DecisionSource.FALLBACK);
        assertThat(policy.source(second)).isEqualTo(DecisionSource.FALLBACK);
        assertThat(take(3, later())).isNotEqualTo(PermitPolicy.TAKEN);
    }

    @Test
    void anyNumberThatCameMeanwhileIsDecidedAlone() {
        int requests = 1_000;
        long[] times = new long[requests];
        for (int i = 0; i < requests; i++) {
            times[i] = later();
        }
        later();
        isBroken = true;
        for (long early : times) {
            take(1, early);
        }
        for (long early : times) {
            assertThat(policy.source(early)).isEqualTo(DecisionSource.FALLBACK);
        }
        assertThat(take(1, later())).isNotEqualTo(PermitPolicy.TAKEN);
    }

    @Test
    void whatTheStoreGrantedBetweenTwoComesBackToTheShareAndStaysCountedAtTheStore() {
        NodeSettings oneOfTwo = new TestSettings().nodes(2).build();
        FleetPolicy half = ModelFleet.policy(LIMIT, this::ask, Nodes.node(), time, oneOfTwo);
        long first = time.nanoTime();
        long between = later();
        assertThat(half.tryTake(5, between)).isZero();
        long second = later();
        isBroken = true;
        later();
        assertThat(half.tryTake(1, second)).isZero();
        assertThat(half.tryTake(1, first)).isZero();
        assertThat(half.tryTake(3, later())).isZero();

        half.giveBack(5, between, later());
        assertThat(half.tryTake(5, later())).isZero();
        assertThat(half.tryTake(1, later())).isNotEqualTo(PermitPolicy.TAKEN);
        isBroken = false;
        time.advanceBy(Duration.ofSeconds(5));
        assertThat(model.policy().available(time.nanoTime())).isZero();
    }

    @Test
    void isStillKnownWhenTheStoreIsBack() {
        long early = time.nanoTime();
        long between = later();
        later();
        isBroken = true;
        assertThat(take(4, early)).isZero();
        isBroken = false;
        time.advanceBy(Duration.ofSeconds(2));
        assertThat(take(1, time.nanoTime())).isZero();
        assertThat(policy.source(time.nanoTime())).isEqualTo(DecisionSource.REMOTE);

        assertThat(policy.source(early)).isEqualTo(DecisionSource.FALLBACK);
        assertThat(policy.source(between)).isEqualTo(DecisionSource.REMOTE);
    }
}
