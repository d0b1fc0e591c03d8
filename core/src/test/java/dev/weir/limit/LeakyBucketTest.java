package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class LeakyBucketTest {

    private static final List<LeakyBucket> BUCKETS = List.of(
            new LeakyBucket(3, Duration.ofSeconds(1)),
            new LeakyBucket(7, Duration.ofMillis(300)),
            new LeakyBucket(10, Duration.ofSeconds(1)),
            new LeakyBucket(3, Duration.ofSeconds(1)).withSlack(1),
            new LeakyBucket(10, Duration.ofSeconds(1)).withSlack(25),
            new LeakyBucket(999_983, Duration.ofSeconds(1)),
            new LeakyBucket(1_000_000, Duration.ofSeconds(1)).withSlack(3),
            new LeakyBucket(1, Duration.ofDays(100)));

    @Test
    void decidesAsExactFractionsDo() {
        for (LeakyBucket bucket : BUCKETS) {
            PolicyTraces.agree(bucket, () -> new Bucket(bucket));
        }
    }

    @Test
    void neverAdmitsMoreThanItsBoundAndReachesIt() {
        for (LeakyBucket bucket : BUCKETS) {
            LimitLaws.boundHolds(bucket, apart -> most(bucket, apart) + bucket.permits());
            LimitLaws.boundIsReached(bucket, apart -> most(bucket, apart) + 1);
            PermitPolicy policy = bucket.newPolicy(0);
            for (int i = 0; i <= bucket.slack(); i++) {
                assertThat(policy.tryTake(1, 0)).isEqualTo(PermitPolicy.TAKEN);
            }
            long due = policy.tryTake(bucket.permits(), 0);
            assertThat(policy.tryTake(bucket.permits(), due)).isEqualTo(PermitPolicy.TAKEN);
            assertThat(bucket.slack() + 1L).isEqualTo(most(bucket, due));
        }
    }

    @Test
    void spacesExactlyWithoutDrift() {
        for (LeakyBucket bucket : BUCKETS) {
            List<Long> instants = PolicyTraces.saturated(bucket, Long.MAX_VALUE - 5, 100 + bucket.slack());
            for (int i = 0; i < instants.size(); i++) {
                Rational due = Rational.of(bucket.period().toNanos(), bucket.permits())
                        .times(Rational.of(Math.max(0, i - bucket.slack())));
                assertThat(instants.get(i)).as(bucket + ", permit " + i).isEqualTo(due.ceiling());
                assertThat(bucket.newPolicy(-1).nanosUntil(i, 1, -1))
                        .as(bucket + ", " + i)
                        .isEqualTo(due.ceiling());
            }
        }
    }

    @Test
    void costKeepsTheNextAwayInProportion() {
        PermitPolicy policy = new LeakyBucket(10, Duration.ofSeconds(1)).newPolicy(-1);
        assertThat(policy.tryTake(10, -1)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(1, -1)).isEqualTo(1_000_000_000);
        assertThat(policy.tryTake(10, -1)).isEqualTo(1_000_000_000);
        assertThat(policy.nanosUntil(3, 2, -1)).isEqualTo(1_300_000_000);
        assertThat(policy.available(-1)).isEqualTo(-9);
        policy.charge(5, -1);
        assertThat(policy.tryTake(0, -1)).isEqualTo(1_500_000_000);
        policy.giveBack(10, -1, -1);
        assertThat(policy.tryTake(1, -1)).isEqualTo(500_000_000);
    }

    @Test
    void waitsAreExact() {
        BUCKETS.forEach(LimitLaws::waitsAreExact);
    }

    @Test
    @Tag("storm")
    void keepsItsBoundAmongThreads() {
        LeakyBucket bucket = new LeakyBucket(1_000_000, Duration.ofSeconds(1)).withSlack(9);
        LimitLaws.holdsAmongThreads(bucket, 50, 98, apart -> most(bucket, apart) + 1);
    }

    @Test
    void reconfigureKeepsWhatHasNotLeaked() {
        PermitPolicy policy = new LeakyBucket(10, Duration.ofNanos(1000)).newPolicy(0);
        policy.tryTake(8, 0);
        policy.reconfigure(new LeakyBucket(1, Duration.ofNanos(1000)), 300);
        assertThat(policy.tryTake(1, 300)).isEqualTo(5000);
        assertThat(policy.capacity()).isEqualTo(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> policy.reconfigure(new TokenBucket(1, 1, Duration.ofNanos(1000)), 300));
        assertThat(policy.tryTake(1, 300)).isEqualTo(5000);
    }

    @Test
    void refusesBadInput() {
        Duration second = Duration.ofSeconds(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LeakyBucket(0, second))
                .withMessage("permits must be at least 1, but is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LeakyBucket(1, Duration.ofSeconds(-1)))
                .withMessage("period must be positive, but is PT-1S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LeakyBucket(1, second).withSlack(-1))
                .withMessage("slack must be between 0 and 2147483647, but is -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LeakyBucket(1, Duration.ofDays(1)).withSlack(100_000))
                .withMessageStartingWith("(slack + 1) * period / permits must be at most PT640511H");
        assertThatNullPointerException()
                .isThrownBy(() -> new LeakyBucket(1, null))
                .withMessage("period");
    }

    /** What the Javadoc promises for all requests but the last. */
    private static long most(LeakyBucket bucket, long apart) {
        Rational grace = bucket.slack() > 0 ? Rational.ZERO : Rational.of(bucket.permits() - 1, bucket.permits());
        Rational perNano = Rational.of(bucket.permits(), bucket.period().toNanos());
        return bucket.slack() + Rational.of(apart).plus(grace).times(perNano).floor();
    }

    /** The definition: what is in the bucket, which leaks evenly. */
    private static final class Bucket implements ReferenceModel {

        private final Rational slack;
        private final Rational perNano;
        private Rational filled = Rational.ZERO;
        private long since;

        Bucket(LeakyBucket bucket) {
            slack = Rational.of(bucket.slack());
            perNano = Rational.of(bucket.permits(), bucket.period().toNanos());
        }

        private Rational filled(long at) {
            Rational left = filled.minus(perNano.times(Rational.of(at - since)));
            // Without slack there is no room for what leaks within less than a nanosecond: it is kept.
            boolean late =
                    slack.equals(Rational.ZERO) && !Rational.ZERO.minus(left).atLeast(perNano);
            return late ? left : left.max(Rational.ZERO);
        }

        @Override
        public boolean fits(int permits, long at) {
            return slack.atLeast(filled(at));
        }

        @Override
        public void take(int permits, long at) {
            filled = filled(at).plus(Rational.of(permits));
            since = at;
        }

        @Override
        public long available(long at) {
            return slack.plus(Rational.of(1)).minus(filled(at)).floor();
        }
    }
}
