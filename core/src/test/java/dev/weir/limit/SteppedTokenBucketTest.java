package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Token buckets that are refilled in steps, and those that do not start full. */
class SteppedTokenBucketTest {

    private static final List<TokenBucket> BUCKETS = List.of(
            new TokenBucket(1, 3, Duration.ofSeconds(1)).refillingInSteps(),
            new TokenBucket(5, 3, Duration.ofSeconds(1)).refillingInSteps(),
            new TokenBucket(7, 7, Duration.ofMillis(300)).refillingInSteps(),
            new TokenBucket(100, 10, Duration.ofSeconds(1)).startingWith(3).refillingInSteps(),
            new TokenBucket(2, 1, Duration.ofDays(100)).startingWith(0).refillingInSteps());

    @Test
    void decidesAsATimerWould() {
        for (TokenBucket bucket : BUCKETS) {
            PolicyTraces.agree(bucket, () -> new Steps(bucket));
        }
    }

    @Test
    void neverAdmitsMoreThanItsBoundAndReachesIt() {
        for (TokenBucket bucket : BUCKETS) {
            LimitLaws.boundHolds(bucket, apart -> most(bucket, apart));
        }
        PermitPolicy policy = BUCKETS.get(1).newPolicy(0);
        long second = Duration.ofSeconds(1).toNanos();
        assertThat(policy.tryTake(5, second - 1)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(3, second)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(3, 2 * second)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(most(BUCKETS.get(1), second + 1)).isEqualTo(11);
    }

    @Test
    void waitsAreExact() {
        BUCKETS.forEach(LimitLaws::waitsAreExact);
    }

    @Test
    @Tag("storm")
    void keepsItsBoundAmongThreads() {
        TokenBucket bucket = new TokenBucket(100, 50, Duration.ofNanos(50_000)).refillingInSteps();
        LimitLaws.sumHoldsAmongThreads(bucket, 100, 98, apart -> most(bucket, apart));
    }

    @Test
    void startsWithAsManyTokensAsItIsTold() {
        TokenBucket bucket = new TokenBucket(10, 10, Duration.ofNanos(1000)).startingWith(3);
        PermitPolicy policy = bucket.newPolicy(-1);
        assertThat(policy.available(-1)).isEqualTo(3);
        assertThat(policy.nanosUntilFull(-1)).isEqualTo(700);
        assertThat(policy.tryTake(5, -1)).isEqualTo(200);
        PermitPolicy stepped = bucket.refillingInSteps().newPolicy(-1);
        assertThat(stepped.available(-1)).isEqualTo(3);
        assertThat(stepped.tryTake(5, -1)).isEqualTo(1000);
        assertThat(new TokenBucket(10, 10, Duration.ofNanos(1000)).newPolicy(-1).available(-1))
                .isEqualTo(10);
    }

    @Test
    void returnsLessForEachStepSinceItWasTaken() {
        PermitPolicy policy = new TokenBucket(10, 4, Duration.ofNanos(1000))
                .refillingInSteps()
                .newPolicy(0);
        policy.tryTake(10, 999);
        policy.tryTake(1, 1000);
        policy.giveBack(10, 999, 1500);
        assertThat(policy.available(1500)).isEqualTo(3 + 6);
    }

    @Test
    void giveBackReckonsWithTheStepsThatThereWere() {
        TokenBucket often = new TokenBucket(100, 10, Duration.ofNanos(100)).refillingInSteps();
        TokenBucket seldom = new TokenBucket(100, 10, Duration.ofNanos(10_000)).refillingInSteps();
        PermitPolicy policy = often.newPolicy(0);
        policy.tryTake(50, 50);
        policy.tryTake(80, 450); // four steps have brought 40
        policy.reconfigure(seldom, 450);
        policy.giveBack(50, 50, 460);
        assertThat(policy.available(460)).isEqualTo(10 + 10);
        policy.giveBack(10, 450, 10_450);
        assertThat(policy.available(10_450)).isEqualTo(20 + 10);

        PermitPolicy twice = often.newPolicy(0);
        twice.tryTake(50, 50);
        twice.reconfigure(seldom, 160);
        twice.reconfigure(often, 170);
        twice.giveBack(50, 50, 180); // from two changes ago
        assertThat(twice.available(180)).isEqualTo(50 + 10);
    }

    @Test
    void oneStepLaterReturnsLessByOneStep() {
        PermitPolicy policy = new TokenBucket(10, 4, Duration.ofNanos(1000))
                .refillingInSteps()
                .newPolicy(0);
        policy.tryTake(6, 0);
        policy.giveBack(6, 0, 1000);
        assertThat(policy.available(1000)).isEqualTo(10);
        policy.tryTake(10, 1000);
        policy.giveBack(10, 1000, 2000);
        assertThat(policy.available(2000)).isEqualTo(10);
    }

    @Test
    void reconfigureKeepsWhatIsMissing() {
        PermitPolicy policy = new TokenBucket(10, 4, Duration.ofNanos(1000))
                .refillingInSteps()
                .newPolicy(0);
        policy.tryTake(9, 0);
        policy.reconfigure(new TokenBucket(20, 5, Duration.ofNanos(2000)).refillingInSteps(), 1100);
        assertThat(policy.capacity()).isEqualTo(20);
        assertThat(policy.available(1100)).isEqualTo(15);
        assertThat(policy.nanosUntilFull(1100)).isEqualTo(1900);
    }

    @Test
    void refusesWhatItCannotBe() {
        TokenBucket bucket = new TokenBucket(10, 10, Duration.ofNanos(1000));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> bucket.startingWith(11))
                .withMessage("initialTokens must be between 0 and 10, but is 11");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> bucket.startingWith(-1))
                .withMessage("initialTokens must be between 0 and 10, but is -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> bucket.newPolicy(0).reconfigure(bucket.refillingInSteps(), 0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> bucket.refillingInSteps().newPolicy(0).reconfigure(bucket, 0));
    }

    /** What the Javadoc promises, where the interval counts the last nanosecond, too. */
    private static long most(TokenBucket bucket, long apart) {
        long period = bucket.refillPeriod().toNanos();
        long step = Math.min(bucket.refillTokens(), bucket.capacity());
        return bucket.capacity() + step * Rational.of(apart, period).ceiling();
    }

    /** The definition: a timer that adds tokens. */
    private static final class Steps implements ReferenceModel {

        private final int capacity;
        private final int step;
        private final long period;
        private long level;
        private long ticks;

        Steps(TokenBucket bucket) {
            capacity = bucket.capacity();
            step = Math.min(bucket.refillTokens(), capacity);
            period = bucket.refillPeriod().toNanos();
            level = bucket.initialTokens();
        }

        @Override
        public long available(long at) {
            long passed = Math.min(at / period - ticks, 1L << 31);
            return Math.min(capacity, level + passed * step);
        }

        @Override
        public boolean fits(int permits, long at) {
            return permits <= available(at);
        }

        @Override
        public void take(int permits, long at) {
            level = available(at) - permits;
            ticks = at / period;
        }
    }
}
