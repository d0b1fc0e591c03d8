package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.ObjLongConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What holds when debt is made, taken back and looked at from afar: two policies with the same past, that then go two ways that
 * come to the same, answer alike from there on.
 */
class ChargeLawsTest {

    private static final int ROUNDS = 40;

    static Stream<Limit> limits() {
        Duration period = Duration.ofNanos(1000);
        return Stream.of(
                Limit.of(1, period),
                Limit.of(3, period),
                Limit.of(9, period),
                Limit.slidingWindow(3, period, 4),
                Limit.slidingWindow(8, period, 2),
                Limit.fixedWindow(4, period),
                Limit.fixedWindow(4, period).aligned(),
                Limit.slidingWindowCounter(5, period),
                Limit.tokenBucket(4, 3, period),
                Limit.tokenBucket(4, 3, period).refillingInSteps(),
                Limit.leakyBucket(5, period),
                Limit.leakyBucket(5, period).withSlack(2));
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName("charged in parts is charged at once")
    void chargesAddUp(Limit limit) {
        twins(limit, (random, one, other, now) -> {
            int first = 1 + random.nextInt(4 * limit.capacity());
            int second = 1 + random.nextInt(4 * limit.capacity());
            one.charge(first, now);
            one.charge(second, now);
            other.charge(first + second, now);
        });
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName("a charge is missing afterwards, however much it is")
    void chargesAreMissing(Limit limit) {
        forRandomPasts(limit, (random, past, now) -> {
            PermitPolicy policy = past.policy();
            long before = policy.available(now);
            int charged = 1 + random.nextInt(random.nextBoolean() ? 5 * limit.capacity() : Integer.MAX_VALUE);
            policy.charge(charged, now);
            assertThat(policy.available(now)).as("%s, %d", past, charged).isEqualTo(before - charged);
        });
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName("a charge of available permits equals a take")
    void chargesThatAreThereAreTaken(Limit limit) {
        twins(limit, (random, one, other, now) -> {
            int permits = 1 + random.nextInt(limit.capacity());
            if (one.tryTake(permits, now) == PermitPolicy.TAKEN) {
                other.charge(permits, now);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName("a permit given back in debt equals one never charged")
    void whatIsGivenBackInDebtWasNeverCharged(Limit limit) {
        twins(limit, (random, one, other, now) -> {
            int taken = 1 + random.nextInt(limit.capacity());
            if (one.tryTake(taken, now) == PermitPolicy.TAKEN) {
                other.tryTake(taken, now);
                int charged = (int) one.available(now) + taken + random.nextInt(5 * limit.capacity());
                one.charge(charged, now);
                one.giveBack(taken, now, now);
                other.charge(charged - taken, now);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName("a permit given back in debt equals one never charged, also among more than can be counted")
    void manyThatAreGivenBackInDebtWereNeverCharged(Limit limit) {
        twins(limit, (random, one, other, now) -> {
            int left = (int) Math.max(0, one.available(now)) + 1 + random.nextInt(3 * limit.capacity());
            int many = Integer.MAX_VALUE - random.nextInt(1000);
            one.charge(many, now);
            one.giveBack(many - left, now, now);
            other.charge(left, now);
        });
    }

    /** Segments, and windows on multiples beyond the wrap of the clock, may be cut anew; the others have nothing to cut. */
    static Stream<Limit> limitsOfOneCut() {
        return limits().filter(limit ->
                !(limit instanceof SlidingWindow) && !(limit instanceof FixedWindow window && window.onMultiples()));
    }

    @ParameterizedTest
    @MethodSource("limitsOfOneCut")
    @DisplayName("changed to what it is, it stays as it is")
    void changedToWhatItIs(Limit limit) {
        twins(limit, (random, one, other, now) -> {
            if (random.nextBoolean()) {
                one.charge(1 + random.nextInt(3 * limit.capacity()), now);
                other.charge((int) (other.available(now) - one.available(now)), now);
            }
            one.reconfigure(limit, now);
        });
    }

    /** A window in segments gives a lower bound, and does not turn back the time of a segment. */
    static Stream<Limit> limitsThatTellExactly() {
        return limits().filter(limit -> !(limit instanceof SlidingWindow));
    }

    @ParameterizedTest
    @MethodSource("limitsThatTellExactly")
    @DisplayName("a permit given back equals one never taken, whatever was charged in between")
    void whatIsGivenBackWasNeverTaken(Limit limit) {
        twins(limit, (random, one, other, now) -> {
            int taken = 1 + random.nextInt(limit.capacity());
            if (one.tryTake(taken, now) == PermitPolicy.TAKEN) {
                int charged = random.nextInt(2 * limit.capacity());
                one.charge(charged, now);
                one.giveBack(taken, now, now);
                other.charge(charged, now);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("limitsThatTellExactly")
    @DisplayName("the wait for many is that of one after another")
    void waitsForManyAreThoseOfOneAfterAnother(Limit limit) {
        forRandomPasts(limit, (random, past, now) -> {
            int many = 1 + random.nextInt(4 * limit.capacity());
            long wait = oneAfterAnother(past.policy(), many, now);
            assertThat(past.policy().nanosUntil(many - 1, 1, now))
                    .as("%s, 1 behind %d", past, many - 1)
                    .isEqualTo(wait);
        });
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName("the wait for many is never told longer than it is, and by less than a window shorter")
    void waitsForManyAreNeverToldLonger(Limit limit) {
        forRandomPasts(limit, (random, past, now) -> {
            int many = 1 + random.nextInt(4 * limit.capacity());
            long wait = oneAfterAnother(past.policy(), many, now);
            assertThat(past.policy().nanosUntil(many - 1, 1, now))
                    .as("%s, %d permits", past, many)
                    .isBetween(wait - 1000, wait);
        });
    }

    private static long oneAfterAnother(PermitPolicy policy, int permits, long now) {
        long at = now;
        for (int permit = 0; permit < permits; permit++) {
            long wait = policy.tryTake(1, at);
            if (wait != PermitPolicy.TAKEN) {
                at += wait;
                assertThat(policy.tryTake(1, at)).isEqualTo(PermitPolicy.TAKEN);
            }
        }
        return at - now;
    }

    private interface TwoWays {
        void go(SplittableRandom random, PermitPolicy one, PermitPolicy other, long now);
    }

    private interface OfPast {
        void check(SplittableRandom random, Past past, long now);
    }

    private static void twins(Limit limit, TwoWays ways) {
        forRandomPasts(limit, (random, past, now) -> {
            PermitPolicy one = past.policy();
            PermitPolicy other = past.policy();
            ways.go(random, one, other, now);
            assertThat(answers(one, limit, now)).as("%s", past).isEqualTo(answers(other, limit, now));
        });
    }

    private static void forRandomPasts(Limit limit, OfPast check) {
        for (long origin : PolicyTraces.ORIGINS) {
            for (long seed = 1; seed <= ROUNDS; seed++) {
                SplittableRandom random = new SplittableRandom(seed);
                Past past = new Past(limit, origin, seed, random.nextInt(12));
                check.check(random, past, past.end());
            }
        }
    }

    /** All that can be asked of a policy without taking, now and later. */
    private static List<Long> answers(PermitPolicy policy, Limit limit, long now) {
        List<Long> answers = new ArrayList<>();
        for (long later : new long[] {0, 1, 333, 1000, 1001, 2500, 12_345}) {
            long at = now + later;
            answers.add(policy.available(at));
            answers.add(policy.nanosUntilFull(at));
            for (int permits = 1; permits <= 3 * limit.capacity(); permits++) {
                answers.add(policy.nanosUntil(permits - 1, 1, at));
            }
        }
        return answers;
    }

    /** A past that can be had again: some takes and charges, at times that a seed decides. */
    private record Past(Limit limit, long origin, long seed, int steps) {

        PermitPolicy policy() {
            PermitPolicy policy = limit.newPolicy(origin);
            walk((permits, at) -> {
                if (permits > 0) {
                    policy.tryTake(permits, at);
                } else {
                    policy.charge(-permits, at);
                }
            });
            return policy;
        }

        long end() {
            return walk((permits, at) -> {});
        }

        private long walk(ObjLongConsumer<Integer> step) {
            SplittableRandom random = new SplittableRandom(seed);
            long at = origin;
            for (int i = 0; i < steps; i++) {
                at += random.nextInt(3) == 0 ? 0 : random.nextInt(700);
                int permits = 1 + random.nextInt(limit.capacity());
                step.accept(random.nextInt(8) == 0 ? -2 * permits : permits, at);
            }
            return at;
        }
    }
}
