package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.limit.SlidingWindowLog;
import dev.weir.limit.TokenBucket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What each of several nodes may do on its own. */
class SharesTest {

    private static final Duration PERIOD = Duration.ofSeconds(1);

    private static SlidingWindowLog share(int nodes, int permits) {
        return (SlidingWindowLog) new Shares(nodes).of(Limit.of(permits, PERIOD));
    }

    @Test
    @DisplayName("all nodes together are never faster than the limit, however many there are")
    void neverFasterTogether() {
        for (int nodes = 1; nodes <= 20; nodes++) {
            for (int permits = 1; permits <= 40; permits++) {
                SlidingWindowLog share = share(nodes, permits);
                assertThat((long) nodes * share.permits() * PERIOD.toNanos())
                        .as("%d permits among %d nodes: %s", permits, nodes, share)
                        .isLessThanOrEqualTo(permits * share.period().toNanos());
            }
        }
    }

    @Test
    @DisplayName(
            "shares of all nodes together never exceed a limit that has enough permits for all, and one more for each would")
    void neverMoreTogether() {
        for (int nodes = 1; nodes <= 20; nodes++) {
            for (int permits = nodes; permits <= 40; permits++) {
                SlidingWindowLog share = share(nodes, permits);
                assertThat(share.period()).isEqualTo(PERIOD);
                assertThat(nodes * share.permits())
                        .as("%d permits among %d nodes", permits, nodes)
                        .isLessThanOrEqualTo(permits)
                        .isGreaterThan(permits - nodes);
            }
        }
    }

    @Test
    @DisplayName("a limit of years has a share, however many nodes there are")
    void ofYears() {
        Duration year = Duration.ofDays(365);
        Shares shares = new Shares(1_000);
        for (Limit limit : List.of(
                Limit.of(1, year),
                Limit.slidingWindow(10, year, 10),
                Limit.slidingWindowCounter(1, year),
                Limit.fixedWindow(1, year),
                Limit.fixedWindow(1, year).aligned(),
                Limit.leakyBucket(2, year).withSlack(5),
                Limit.tokenBucket(20, 1, year))) {
            Limit share = shares.of(limit);
            assertThat(share.capacity()).as("%s", share).isEqualTo(1);
            assertThat(share.newPolicy(-1).tryTake(1, 0)).isZero();
        }
    }

    @Test
    @DisplayName(
            "what flows continuously is as fast as is due, though the permits of a period cannot be divided equally")
    void divisible() {
        Duration year = Duration.ofDays(365);
        Shares tenth = new Shares(10);
        assertThat(tenth.of(Limit.tokenBucket(100, 19, PERIOD)))
                .isEqualTo(Limit.tokenBucket(10, 1, Duration.ofNanos(526_315_790)));
        assertThat(tenth.of(Limit.tokenBucket(1_000, 15, year)))
                .isEqualTo(Limit.tokenBucket(100, 1, year.multipliedBy(10).dividedBy(15)));
        assertThat(tenth.of(Limit.leakyBucket(25, PERIOD))).isEqualTo(Limit.leakyBucket(2, Duration.ofMillis(800)));
    }

    @Test
    @DisplayName("a burst is smaller where all of it would take longer than the longest period to come")
    void tooLargeABurst() {
        Duration year = Duration.ofDays(365);
        Shares tenth = new Shares(10);
        assertThat(tenth.of(Limit.leakyBucket(1, year.multipliedBy(6)).withSlack(10)))
                .isEqualTo(Limit.leakyBucket(1, year.multipliedBy(60)));
        assertThat(tenth.of(Limit.tokenBucket(1_000, 15, year).refillingInSteps()))
                .isEqualTo(Limit.tokenBucket(73, 1, year).refillingInSteps());
    }

    @Test
    @DisplayName("shares are one permit for each node at most if the limit has not enough for all")
    void oneOfEach() {
        for (int nodes = 2; nodes <= 20; nodes++) {
            for (int permits = 1; permits < nodes; permits++) {
                SlidingWindowLog share = share(nodes, permits);
                assertThat(share.permits()).isEqualTo(1);
                assertThat(share.period()).isGreaterThan(PERIOD);
                assertThat(new Shares(nodes).of(Limit.concurrency(permits))).isEqualTo(Limit.concurrency(1));
            }
        }
    }

    @Test
    @DisplayName("every kind stays of its kind")
    void kinds() {
        Shares quarter = new Shares(4);

        assertThat(quarter.of(Limit.tokenBucket(8, 4, PERIOD))).isEqualTo(Limit.tokenBucket(2, 1, PERIOD));
        assertThat(quarter.of(Limit.leakyBucket(8, PERIOD).withSlack(5)))
                .isEqualTo(Limit.leakyBucket(2, PERIOD).withSlack(1));
        assertThat(quarter.of(Limit.slidingWindow(8, PERIOD, 10))).isEqualTo(Limit.slidingWindow(2, PERIOD, 10));
        assertThat(quarter.of(Limit.slidingWindowCounter(9, PERIOD))).isEqualTo(Limit.slidingWindowCounter(2, PERIOD));
        assertThat(quarter.of(Limit.fixedWindow(8, PERIOD).aligned()))
                .isEqualTo(Limit.fixedWindow(2, PERIOD).aligned());
        assertThat(quarter.of(Limit.concurrency(11))).isEqualTo(Limit.concurrency(2));
        assertThat(quarter.of(
                        Limit.allOf(Limit.of(8, PERIOD), Limit.of(4, PERIOD).countingCalls())))
                .isEqualTo(Limit.allOf(Limit.of(2, PERIOD), Limit.of(1, PERIOD).countingCalls()));
    }

    @Test
    @DisplayName("where there are fewer permits than nodes, the period of every kind is longer by as much")
    void fewerThanNodes() {
        Shares quarter = new Shares(4);
        Duration longer = Duration.ofNanos(1_333_333_334); // four thirds of the period, rounded up

        assertThat(quarter.of(Limit.of(3, PERIOD))).isEqualTo(Limit.of(1, longer));
        assertThat(quarter.of(Limit.slidingWindow(3, PERIOD, 10))).isEqualTo(Limit.slidingWindow(1, longer, 10));
        assertThat(quarter.of(Limit.slidingWindowCounter(3, PERIOD))).isEqualTo(Limit.slidingWindowCounter(1, longer));
        assertThat(quarter.of(Limit.fixedWindow(3, PERIOD))).isEqualTo(Limit.fixedWindow(1, longer));
        assertThat(quarter.of(Limit.leakyBucket(3, PERIOD))).isEqualTo(Limit.leakyBucket(1, longer));
        assertThat(quarter.of(Limit.tokenBucket(8, 3, PERIOD))).isEqualTo(Limit.tokenBucket(2, 1, longer));
    }

    @Test
    @DisplayName("a share of a token bucket begins and refills as the bucket does")
    void tokenBuckets() {
        Shares quarter = new Shares(4);
        TokenBucket whole = Limit.tokenBucket(8, 4, PERIOD);
        TokenBucket share = Limit.tokenBucket(2, 1, PERIOD);

        assertThat(quarter.of(whole.refillingInSteps())).isEqualTo(share.refillingInSteps());
        assertThat(quarter.of(whole.startingWith(0))).isEqualTo(share.startingWith(0));
        assertThat(quarter.of(whole.startingWith(7))).isEqualTo(share.startingWith(1));
    }
}
