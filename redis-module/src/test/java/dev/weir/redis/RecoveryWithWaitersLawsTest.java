package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** On several nodes callers wait, and the server is gone for a while: what is granted around that, on the scripts of a server. */
class RecoveryWithWaitersLawsTest extends OnAServer {

    private static final int SEEDS = 100;
    private static final int PERMITS = 12;
    private static final int SHARE = PERMITS / WaitingFleet.NODES;
    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final Limit WINDOW = Limit.of(PERMITS, PERIOD);
    private static final Limit BUCKET = Limit.tokenBucket(PERMITS, PERMITS, PERIOD);
    private static final long NANOS_OF_ONE = PERIOD.toNanos() / PERMITS;
    private static final long MILLI = WaitingFleet.MILLI;

    /** After that all nodes have probed, and have told. */
    private static final long PROBED_NANOS = Circuit.LONGEST_NANOS + 50 * MILLI;

    private static WaitingFleet waiting(Limit limit, Random random) {
        WaitingFleet fleet = new WaitingFleet(host, limit, random);
        fleet.beginToAsk();
        fleet.advance(Duration.ofMillis(1_500));
        return fleet;
    }

    /** All nodes are cut off at the same time. */
    private static WaitingFleet allOut(Limit limit, long seed) {
        Random random = new Random(seed);
        WaitingFleet fleet = waiting(limit, random);
        fleet.allOut(random.nextLong(1_000 * MILLI), (100 + random.nextInt(3_000)) * MILLI);
        fleet.advance(Duration.ofSeconds(8));
        return fleet;
    }

    /** Each is cut off when it is, or not at all. */
    private static WaitingFleet someOut(Limit limit, long seed) {
        WaitingFleet fleet = waiting(limit, new Random(seed));
        fleet.someOut(1_500 * MILLI, 3_000 * MILLI);
        fleet.advance(Duration.ofSeconds(8));
        return fleet;
    }

    @Test
    @DisplayName("from when all nodes are alone on, and while they come back, no period sees more than the limit")
    void keepsTheLimit() {
        int alone = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            WaitingFleet fleet = allOut(WINDOW, seed);
            long from = fleet.allAloneNanos();
            assertThat(WaitingFleet.mostIn(PERIOD, fleet.grantedAfter(from)))
                    .as("seed %d", seed)
                    .isLessThanOrEqualTo(PERMITS);
            alone += from < Long.MAX_VALUE ? 1 : 0;
        }
        assertThat(alone).isGreaterThan(SEEDS / 2);
    }

    @Test
    @DisplayName(
            "if some had booked and so never asked meanwhile, the shares of the others come on top, until these have told")
    void someSleptThroughIt() {
        int slept = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            WaitingFleet fleet = allOut(WINDOW, seed);
            int alone = fleet.aloneOnes();
            int onTop = alone == WaitingFleet.NODES ? 0 : alone * SHARE;
            assertThat(WaitingFleet.mostIn(PERIOD, fleet.grantedAfter(fleet.backNanos())))
                    .as("seed %d, %d alone", seed, alone)
                    .isLessThanOrEqualTo(PERMITS + onTop);
            assertThat(WaitingFleet.mostIn(PERIOD, fleet.grantedAfter(fleet.backNanos() + PROBED_NANOS)))
                    .as("seed %d, when all have told", seed)
                    .isEqualTo(PERMITS);
            slept += alone > 0 && alone < WaitingFleet.NODES ? 1 : 0;
        }
        assertThat(slept).isPositive();
    }

    @Test
    @DisplayName(
            "whenever which nodes are cut off, no period sees more than the limit and all shares; afterwards, the limit")
    void neverBeyondTheShares() {
        int most = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            WaitingFleet fleet = someOut(WINDOW, seed);
            int inAPeriod = WaitingFleet.mostIn(PERIOD, fleet.grantedAfter(0));
            assertThat(inAPeriod).as("seed %d", seed).isLessThanOrEqualTo(PERMITS + WaitingFleet.NODES * SHARE);
            most = Math.max(most, inAPeriod);
            assertThat(WaitingFleet.mostIn(PERIOD, fleet.grantedAfter(fleet.backNanos() + PROBED_NANOS)))
                    .as("seed %d, when all have told", seed)
                    .isEqualTo(PERMITS);
        }
        assertThat(most).isGreaterThan(PERMITS + PERMITS / 2);
    }

    @Test
    @DisplayName(
            "a token bucket keeps its bound from when all nodes are alone on, too; as the outage begins, it sees that of all"
                    + " shares on top, and what was booked: the first request of each node, and what flows in within 250 ms")
    void bucketKeepsItsBound() {
        int booked = WaitingFleet.NODES + PERMITS / 4;
        double most = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            WaitingFleet fleet = allOut(BUCKET, seed);
            assertThat(WaitingFleet.mostBeyond(NANOS_OF_ONE, fleet.grantedAfter(fleet.allAloneNanos())))
                    .as("seed %d", seed)
                    .isLessThanOrEqualTo(PERMITS);
            double atTheBeginning = WaitingFleet.mostBeyond(NANOS_OF_ONE, fleet.grantedAfter(0));
            assertThat(atTheBeginning).as("seed %d, in all", seed).isLessThanOrEqualTo(2 * PERMITS + booked);
            most = Math.max(most, atTheBeginning);
        }
        assertThat(most).isGreaterThan(2 * PERMITS);
    }
}
