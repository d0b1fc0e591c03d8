package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.time.Duration;
import java.util.List;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a node's share of a limit costs, and who has to ask for what has ended to be free. */
class OwnShareTest {

    private static final int PERMITS = 8;
    private static final int SHARE = 2;
    private static final Duration PERIOD = Duration.ofSeconds(8);

    private final FleetState state = new FleetState(Held.NOTHING, 0);

    private OwnShare share(Limit limit) {
        FleetTerms terms = new FleetTerms(limit, ModelFleet.settings(WhenUnavailable.LOCAL, PERMITS / SHARE));
        return new OwnShare(terms, () -> state, 0);
    }

    private static List<Limit> timed() {
        return List.of(
                Limit.of(PERMITS, PERIOD),
                Limit.slidingWindow(PERMITS, PERIOD, 4),
                Limit.slidingWindowCounter(PERMITS, PERIOD),
                Limit.fixedWindow(PERMITS, PERIOD),
                Limit.tokenBucket(PERMITS, PERMITS, PERIOD));
    }

    @ParameterizedTest
    @MethodSource("timed")
    @DisplayName(
            "what the store grants costs the share what it would have granted itself, also if that is more than the share")
    void takenAtTheStore(Limit limit) {
        for (int permits = 1; permits <= PERMITS; permits++) {
            OwnShare alone = share(limit);
            OwnShare told = share(limit);
            assertThat(alone.tryTake(permits, alone.most(permits), 0)).isEqualTo(PermitPolicy.TAKEN);
            told.take(permits, 0);
            assertThat(alone.nanosUntilFull(0)).as("%d permits", permits).isPositive();
            for (long now = 0; now <= 5 * PERIOD.toNanos(); now += PERIOD.toNanos() / 8) {
                assertThat(told.available(now))
                        .as("%d permits, at %d", permits, now)
                        .isEqualTo(alone.available(now));
                assertThat(told.nanosUntilFull(now))
                        .as("%d permits, at %d", permits, now)
                        .isEqualTo(alone.nanosUntilFull(now));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("timed")
    @DisplayName("a request for more than the share is granted by all of it, and the next only once that is paid")
    void moreThanTheShare(Limit limit) {
        OwnShare share = share(limit);
        assertThat(share.most(PERMITS)).isEqualTo(SHARE);
        assertThat(share.tryTake(PERMITS, SHARE, 0)).isEqualTo(PermitPolicy.TAKEN);
        long wait = share.nanosUntil(PERMITS, 0);
        assertThat(wait).isGreaterThanOrEqualTo((long) PERMITS / SHARE * PERIOD.toNanos() * 7 / 8);
        assertThat(share.tryTake(PERMITS, SHARE, 0)).isEqualTo(wait);
        assertThat(share.tryTake(PERMITS, SHARE, wait - 1)).isEqualTo(1);
        assertThat(share.tryTake(PERMITS, SHARE, wait)).isEqualTo(PermitPolicy.TAKEN);
    }

    @Test
    @DisplayName("the share of a limit that is changed is that of what it was changed to, less what was taken before")
    void shareOfAChangedLimit() {
        OwnShare timed = share(Limit.of(PERMITS, PERIOD));
        timed.take(SHARE, 0);
        timed.reconfigure(Limit.of(2 * PERMITS, PERIOD), 0);
        assertThat(timed.available(0)).isEqualTo(SHARE);
        assertThat(timed.available(PERIOD.toNanos())).isEqualTo(2 * SHARE);

        OwnShare leases = share(Limit.concurrency(PERMITS));
        takeOne(leases);
        leases.reconfigure(Limit.concurrency(2 * PERMITS), 0);
        assertThat(leases.available(0)).isEqualTo(2 * SHARE - 1);
    }

    private void takeOne(OwnShare share) {
        assertThat(share.tryTake(1, share.most(1), 0)).isEqualTo(PermitPolicy.TAKEN);
        state.hold(1, 1);
        share.nowInUse(1);
    }

    private static List<ToLongFunction<OwnShare>> questions() {
        return List.of(
                share -> share.tryTake(1, 1, 0), share -> share.nanosUntil(1, 0), share -> share.nanosUntilFull(0));
    }

    @ParameterizedTest
    @MethodSource("questions")
    @DisplayName("what leases held that have ended is free for whoever asks next, whatever is asked")
    void freeWhenAsked(ToLongFunction<OwnShare> question) {
        for (Limit limit :
                List.of(Limit.concurrency(PERMITS), Limit.concurrency(PERMITS).countingCalls())) {
            OwnShare share = share(limit);
            for (int taken = 0; taken < SHARE; taken++) {
                takeOne(share);
            }
            assertThat(question.applyAsLong(share)).as("%s", limit).isNotZero();
            state.release(SHARE, SHARE);
            assertThat(question.applyAsLong(share)).as("%s", limit).isZero();
        }
    }
}
