package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.LeakyBucket;
import dev.weir.limit.Limit;
import dev.weir.limit.TokenBucket;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Shares of random buckets against exact arithmetic. */
class SharesLawsTest {

    private static final int TRIALS = 20_000;
    private static final long LONGEST = RedisOptions.LONGEST.toNanos();

    private static BigInteger product(long... factors) {
        BigInteger product = BigInteger.ONE;
        for (long factor : factors) {
            product = product.multiply(BigInteger.valueOf(factor));
        }
        return product;
    }

    /** Small numbers are as likely as large ones. */
    private static long any(Random random, long most) {
        int bits = Long.SIZE - Long.numberOfLeadingZeros(most);
        return 1 + (random.nextLong() >>> 1) % Math.min(most, 1L << random.nextInt(bits));
    }

    private static int any(Random random) {
        return (int) any(random, Integer.MAX_VALUE);
    }

    /** Any period in which so many permits come, such that the burst comes in the longest time, and often just so. */
    private static Duration anyPeriod(Random random, long burst, int permits) {
        long most = product(LONGEST, permits)
                .divide(BigInteger.valueOf(burst))
                .min(BigInteger.valueOf(LONGEST))
                .longValueExact();
        return Duration.ofNanos(random.nextInt(4) == 0 ? Math.max(1, most) : any(random, Math.max(1, most)));
    }

    /** The share of a node never comes faster than is due, unless that took longer than the longest period, and a nanosecond later at most. */
    private static void checkPace(int all, Duration period, int share, Duration ofShare, int nodes, String about) {
        BigInteger due = product(share, period.toNanos(), nodes);
        BigInteger late = product(ofShare.toNanos(), all).subtract(due);
        boolean isCapped = ofShare.toNanos() == LONGEST;
        if (!isCapped) {
            assertThat(late).as(about).isNotNegative();
        }
        assertThat(late).as(about).isLessThan(BigInteger.valueOf(all));
    }

    /** The share of a burst, at least one, or less only by what would take longer than the longest period to come. */
    private static void checkBurst(long due, long burst, int share, Duration ofShare, String about) {
        assertThat(burst).as(about).isLessThanOrEqualTo(due);
        if (burst < due) {
            assertThat(product(burst + 1, ofShare.toNanos())).as(about).isGreaterThan(product(LONGEST, share));
        }
    }

    @Test
    @DisplayName("every token bucket has a share, which is as fast as is due")
    void tokenBuckets() {
        Random random = new Random(1);
        for (int trial = 0; trial < TRIALS; trial++) {
            int capacity = any(random);
            int tokens = any(random);
            int nodes = (int) (1 + any(random, 2_000));
            TokenBucket whole = Limit.tokenBucket(capacity, tokens, anyPeriod(random, capacity, tokens));
            String about = whole + " on " + nodes;
            TokenBucket share = (TokenBucket) new Shares(nodes).of(whole);
            checkPace(
                    whole.refillTokens(),
                    whole.refillPeriod(),
                    share.refillTokens(),
                    share.refillPeriod(),
                    nodes,
                    about);
            checkBurst(
                    Math.max(1, capacity / nodes), share.capacity(), share.refillTokens(), share.refillPeriod(), about);
            assertThat(new Shares(nodes).of(whole.refillingInSteps()).capacity())
                    .as(about)
                    .isPositive();
        }
    }

    @Test
    @DisplayName("every leaky bucket has a share, which is as fast as is due")
    void leakyBuckets() {
        Random random = new Random(2);
        for (int trial = 0; trial < TRIALS; trial++) {
            int permits = any(random);
            int slack = any(random) - 1;
            int nodes = (int) (1 + any(random, 2_000));
            LeakyBucket whole = Limit.leakyBucket(permits, anyPeriod(random, slack + 1L, permits))
                    .withSlack(slack);
            String about = whole + " on " + nodes;
            LeakyBucket share = (LeakyBucket) new Shares(nodes).of(whole);
            checkPace(permits, whole.period(), share.permits(), share.period(), nodes, about);
            checkBurst(slack / nodes + 1L, share.slack() + 1L, share.permits(), share.period(), about);
        }
    }
}
