package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class TokenBucketTest {

    private static final List<TokenBucket> SLOWER_THAN_THE_CLOCK = List.of(
            new TokenBucket(1, 3, Duration.ofSeconds(1)),
            new TokenBucket(5, 3, Duration.ofSeconds(1)),
            new TokenBucket(1, 7, Duration.ofMillis(300)),
            new TokenBucket(7, 7, Duration.ofMillis(300)),
            new TokenBucket(10, 10, Duration.ofSeconds(1)),
            new TokenBucket(1, 999_983, Duration.ofSeconds(1)),
            new TokenBucket(1_000, 999_983, Duration.ofSeconds(1)),
            new TokenBucket(100, 1_000_000, Duration.ofSeconds(1)),
            new TokenBucket(3, 1, Duration.ofDays(100)));

    private static final List<TokenBucket> FASTER_THAN_THE_CLOCK = List.of(
            new TokenBucket(1, Integer.MAX_VALUE, Duration.ofSeconds(1)),
            new TokenBucket(3, Integer.MAX_VALUE, Duration.ofNanos(1)),
            new TokenBucket(1000, Integer.MAX_VALUE, Duration.ofSeconds(1)));

    private static final TokenBucket OF_SHORT_ERAS =
            new TokenBucket(50, Integer.MAX_VALUE, Duration.ofMillis(5L * Integer.MAX_VALUE + 1));

    private static final List<TokenBucket> BUCKETS = Stream.concat(
                    SLOWER_THAN_THE_CLOCK.stream(), FASTER_THAN_THE_CLOCK.stream())
            .toList();

    @Test
    void decidesAsExactFractionsDo() {
        for (TokenBucket bucket : BUCKETS) {
            PolicyTraces.agree(bucket, () -> new Bucket(bucket));
        }
        PolicyTraces.agree(OF_SHORT_ERAS, () -> new Bucket(OF_SHORT_ERAS));
    }

    @Test
    void waitsLieOnOneExactGrid() {
        for (TokenBucket bucket : SLOWER_THAN_THE_CLOCK) {
            long period = bucket.refillPeriod().toNanos();
            List<Long> instants = PolicyTraces.saturated(bucket, -1, bucket.capacity() + 200);
            for (int i = 0; i < instants.size(); i++) {
                int later = Math.max(0, i + 1 - bucket.capacity());
                assertThat(instants.get(i))
                        .as(bucket + ", permit " + i)
                        .isEqualTo(Rational.of(period, bucket.refillTokens())
                                .times(Rational.of(later))
                                .ceiling());
            }
        }
    }

    @Test
    void waitsForManyPermitsAreThoseOfSinglePermitsInTurn() {
        for (TokenBucket bucket : SLOWER_THAN_THE_CLOCK) {
            PermitPolicy policy = bucket.newPolicy(Long.MAX_VALUE);
            policy.tryTake(1, Long.MAX_VALUE);
            List<Long> instants = PolicyTraces.saturated(bucket, Long.MAX_VALUE, bucket.capacity() + 200);
            for (int i = 1; i < instants.size(); i++) {
                assertThat(policy.nanosUntil(i - 1, 1, Long.MAX_VALUE))
                        .as(bucket + ", " + i)
                        .isEqualTo(instants.get(i));
            }
        }
    }

    @Test
    void neverAdmitsMoreThanItsBoundAndReachesIt() {
        for (TokenBucket bucket : BUCKETS) {
            LimitLaws.boundHolds(bucket, apart -> most(bucket, apart));
        }
        for (TokenBucket bucket : SLOWER_THAN_THE_CLOCK) {
            LimitLaws.boundIsReached(bucket, apart -> most(bucket, apart));
        }
    }

    @Test
    void waitsAreExact() {
        BUCKETS.forEach(LimitLaws::waitsAreExact);
    }

    @Test
    @Tag("storm")
    void keepsItsBoundAmongThreads() {
        TokenBucket bucket = new TokenBucket(50, 1_000_000, Duration.ofSeconds(1));
        LimitLaws.holdsAmongThreads(bucket, 100, 98, apart -> most(bucket, apart));
        TokenBucket odd = new TokenBucket(1, 999_983, Duration.ofSeconds(1));
        LimitLaws.holdsAmongThreads(odd, 10, 98, apart -> most(odd, apart + 1));
        LimitLaws.sumHoldsWhileReconfigured(bucket, 100, apart -> most(bucket, apart));
    }

    @Test
    @Tag("storm")
    void losesNothingWhereEraFollowsEra() {
        TokenBucket bucket = OF_SHORT_ERAS;
        LimitLaws.holdsAmongThreads(bucket, 1_000_000, 98, apart -> most(bucket, apart));
    }

    @Test
    void isNeverFasterAndHardlySlowerWhereFractionsDoNotFit() {
        TokenBucket bucket = new TokenBucket(1_000_000, 999_983, Duration.ofDays(100));
        LimitLaws.boundHolds(bucket, apart -> most(bucket, apart));
        LimitLaws.waitsAreExact(bucket);
        PermitPolicy policy = bucket.newPolicy(0);
        policy.tryTake(1_000_000, 0);
        long exact = Duration.ofDays(100).toNanos();
        assertThat(policy.tryTake(999_983, 0)).isBetween(exact, exact + exact / 1_000_000_000_000L);
    }

    @Test
    void giveBackNeverReturnsWhatTimeReturns() {
        PermitPolicy policy = new TokenBucket(10, 10, Duration.ofNanos(1000)).newPolicy(-1);
        policy.tryTake(6, -1);
        policy.giveBack(6, -1, 199);
        assertThat(policy.available(199)).isEqualTo(10);
        policy.tryTake(10, 1000);
        policy.tryTake(3, 1500);
        policy.giveBack(10, 1000, 1600);
        assertThat(policy.available(1600)).isEqualTo(3 + 10 - 6);
        policy.giveBack(3, 1500, 1_000_000);
        assertThat(policy.available(1_000_000)).isEqualTo(10);
    }

    @Test
    void debtIsRepaidByTimeAndSaturates() {
        PermitPolicy policy = new TokenBucket(10, 10, Duration.ofNanos(1000)).newPolicy(Long.MAX_VALUE);
        policy.charge(25, Long.MAX_VALUE);
        assertThat(policy.available(Long.MAX_VALUE)).isEqualTo(-15);
        assertThat(policy.tryTake(1, Long.MAX_VALUE)).isEqualTo(1600);
        assertThat(policy.nanosUntilFull(Long.MAX_VALUE)).isEqualTo(2500);
        for (int i = 0; i < 100; i++) {
            policy.charge(Integer.MAX_VALUE, Long.MAX_VALUE + 1);
        }
        assertThat(policy.available(Long.MAX_VALUE + 1)).isEqualTo(-100L * Integer.MAX_VALUE - 15);
        PermitPolicy slow = new TokenBucket(1, 1, Duration.ofDays(10_000)).newPolicy(0);
        for (int i = 0; i < 100; i++) {
            slow.charge(Integer.MAX_VALUE, 0);
        }
        assertThat(slow.tryTake(1, 0)).isBetween(1L << 61, PermitPolicy.AWAIT_SIGNAL - 1);
        assertThat(slow.nanosUntil(Long.MAX_VALUE - 1, 1, 0)).isEqualTo(PermitPolicy.AWAIT_SIGNAL - 1);
    }

    @Test
    void aClockThatStandsOrStepsBackOrJumpsRepaysAtMostOneBucket() {
        PermitPolicy policy = new TokenBucket(10, 10, Duration.ofNanos(1000)).newPolicy(0);
        policy.tryTake(10, 0);
        assertThat(policy.tryTake(1, -50)).isEqualTo(150);
        long hours = Duration.ofHours(5).toNanos();
        assertThat(policy.available(hours)).isEqualTo(10);
        assertThat(policy.tryTake(10, hours)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(1, hours)).isEqualTo(100);
        assertThat(policy.tryTake(1, hours - 30)).isEqualTo(130);
    }

    @Test
    void reconfigureKeepsWhatIsMissing() {
        PermitPolicy policy = new TokenBucket(10, 10, Duration.ofNanos(1000)).newPolicy(Long.MIN_VALUE);
        policy.tryTake(8, Long.MIN_VALUE);
        policy.reconfigure(new TokenBucket(5, 1, Duration.ofNanos(1000)), Long.MIN_VALUE + 150);
        assertThat(policy.capacity()).isEqualTo(5);
        assertThat(policy.available(Long.MIN_VALUE + 150)).isEqualTo(-2);
        assertThat(policy.tryTake(1, Long.MIN_VALUE + 150)).isEqualTo(2500);
        policy.reconfigure(new TokenBucket(20, 3, Duration.ofNanos(1000)), Long.MIN_VALUE + 150);
        assertThat(policy.available(Long.MIN_VALUE + 150)).isEqualTo(13);
        assertThat(policy.tryTake(14, Long.MIN_VALUE + 150)).isEqualTo(167);
    }

    @Test
    void settlingReckonsWithWhatStaysTaken() {
        for (TokenBucket bucket : List.of(
                new TokenBucket(100, 10, Duration.ofNanos(1000)),
                new TokenBucket(100, 10, Duration.ofNanos(1000)).refillingInSteps())) {
            PermitPolicy policy = bucket.newPolicy(0);
            policy.tryTake(60, 0);
            policy.settle(60, 10, false, 0, 1000);
            assertThat(policy.available(1000)).as("as if 10 had been taken").isEqualTo(100);

            PermitPolicy slow = bucket.newPolicy(0);
            slow.tryTake(100, 0);
            slow.settle(100, 30, false, 0, 6000);
            assertThat(slow.available(6000)).as("what has not flowed in yet").isEqualTo(100);
            slow.tryTake(50, 6000);
            slow.settle(50, 20, false, 6000, 10_000);
            assertThat(slow.available(10_000))
                    .as("50 and 40 that flowed in, and 10 that had not")
                    .isEqualTo(100);

            PermitPolicy more = bucket.newPolicy(0);
            more.tryTake(60, 0);
            more.settle(60, 70, false, 0, 1000);
            assertThat(more.available(1000)).isEqualTo(40);
        }
    }

    @Test
    void giveBackReckonsWithThePaceThatThereWas() {
        TokenBucket tenFold = new TokenBucket(10, 10, Duration.ofNanos(1000));
        TokenBucket slow = new TokenBucket(10, 1, Duration.ofNanos(1000));
        PermitPolicy slowed = tenFold.newPolicy(0);
        slowed.tryTake(10, 0);
        slowed.tryTake(6, 600);
        slowed.reconfigure(slow, 600);
        slowed.giveBack(10, 0, 1600); // 6 had flowed in by then, and 1 since
        assertThat(slowed.available(1600)).isEqualTo(1 + 3);

        PermitPolicy quickened = slow.newPolicy(0);
        quickened.tryTake(10, 0);
        quickened.reconfigure(tenFold, 2000);
        quickened.giveBack(10, 0, 2100); // 2, and 1
        assertThat(quickened.available(2100)).isEqualTo(10);
        quickened.tryTake(10, 2100);
        quickened.giveBack(10, 2100, 2200);
        assertThat(quickened.available(2200)).isEqualTo(10);
    }

    @Test
    void giveBackReckonsWithTheFastestOfSeveralPacesSinceChanged() {
        TokenBucket tenFold = new TokenBucket(10, 10, Duration.ofNanos(1000));
        TokenBucket slow = new TokenBucket(10, 1, Duration.ofNanos(1000));
        PermitPolicy policy = slow.newPolicy(0);
        policy.tryTake(10, 0);
        policy.reconfigure(tenFold, 100);
        policy.reconfigure(slow, 300);
        policy.giveBack(10, 0, 300); // 2.1 had flowed in; as if it were 3
        assertThat(policy.nanosUntil(9, 1, 300)).isEqualTo(900);

        PermitPolicy later = tenFold.newPolicy(0);
        later.reconfigure(slow, 0);
        later.tryTake(10, 20_000);
        later.reconfigure(new TokenBucket(10, 2, Duration.ofNanos(1000)), 21_000); // the fastest is long past
        later.giveBack(10, 20_000, 22_000);
        assertThat(later.available(22_000)).isEqualTo(10);
    }

    @Test
    void refusesBadInput() {
        Duration second = Duration.ofSeconds(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TokenBucket(0, 1, second))
                .withMessage("capacity must be at least 1, but is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TokenBucket(1, -7, second))
                .withMessage("refillTokens must be at least 1, but is -7");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TokenBucket(1, 1, Duration.ZERO))
                .withMessage("refillPeriod must be positive, but is PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TokenBucket(1, 1, Duration.ofDays(30_000)))
                .withMessageStartingWith("refillPeriod must be at most PT640511H");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TokenBucket(1000, 1, Duration.ofDays(100)))
                .withMessageStartingWith("capacity * refillPeriod / refillTokens must be at most PT640511H")
                .withMessageEndingWith("but is 1000 * PT2400H / 1");
        assertThatNullPointerException()
                .isThrownBy(() -> new TokenBucket(1, 1, null))
                .withMessage("refillPeriod");
    }

    /** What the Javadoc promises. */
    private static long most(TokenBucket bucket, long apart) {
        long period = bucket.refillPeriod().toNanos();
        Rational grace = bucket.capacity() > 1 || bucket.refillTokens() > period
                ? Rational.ZERO
                : Rational.of(bucket.refillTokens() - 1, bucket.refillTokens());
        Rational refilled = Rational.of(apart).plus(grace).times(Rational.of(bucket.refillTokens(), period));
        return bucket.capacity() + refilled.floor();
    }

    /** The definition: a level that rises evenly up to the capacity. */
    private static final class Bucket implements ReferenceModel {

        private final Rational capacity;
        private final Rational perNano;
        private final boolean single;
        private Rational level;
        private long since;

        Bucket(TokenBucket bucket) {
            capacity = Rational.of(bucket.capacity());
            perNano = Rational.of(bucket.refillTokens(), bucket.refillPeriod().toNanos());
            level = capacity;
            single = bucket.capacity() == 1 && Rational.of(1).atLeast(perNano);
        }

        private Rational level(long at) {
            Rational risen = level.plus(perNano.times(Rational.of(at - since)));
            Rational overflow = risen.minus(capacity);
            // A bucket without room for a second token keeps what flows in within less than a nanosecond.
            boolean late = single && !overflow.atLeast(perNano);
            return late ? risen : risen.min(capacity);
        }

        @Override
        public boolean fits(int permits, long at) {
            return level(at).atLeast(Rational.of(permits));
        }

        @Override
        public void take(int permits, long at) {
            level = level(at).minus(Rational.of(permits));
            since = at;
        }

        @Override
        public long available(long at) {
            return level(at).floor();
        }
    }
}
