package dev.weir.webflux;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;
import static java.time.temporal.ChronoUnit.FOREVER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.RateLimiter;
import dev.weir.limit.LeakyBucket;
import dev.weir.limit.Limit;
import dev.weir.limit.SlidingWindowLog;
import java.lang.reflect.Proxy;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyFollowerTest {

    static Stream<Arguments> followed() {
        Limit own = Limit.of(100, ofSeconds(1));
        return Stream.of(
                Arguments.of(own, new QuotaPolicy(50, 1, false), Limit.of(50, ofSeconds(1))),
                Arguments.of(own, new QuotaPolicy(3_000, 60, false), Limit.of(50, ofSeconds(1))),
                Arguments.of(own, new QuotaPolicy(100, 1, false), own),
                Arguments.of(own, new QuotaPolicy(500, 1, false), own),
                Arguments.of(own, new QuotaPolicy(1, 60, false), Limit.of(10, ofSeconds(1))),
                Arguments.of(own, new QuotaPolicy(1, 3_600, false), own),
                Arguments.of(Limit.of(100, ofSeconds(10)), new QuotaPolicy(11, 11, false), Limit.of(1, ofSeconds(1))),
                Arguments.of(
                        Limit.of(19, ofSeconds(1)),
                        new QuotaPolicy(1, 60, false),
                        Limit.of(2, ofNanos(2_000_000_000L * 100 / 190))),
                Arguments.of(
                        Limit.of(19, ofSeconds(1)), new QuotaPolicy(115, 60, false), Limit.of(1, ofNanos(521_739_131))),
                Arguments.of(
                        Limit.of(2, ofSeconds(1)),
                        new QuotaPolicy(119, 60, false),
                        Limit.of(2, ofNanos(1_016_949_153))),
                Arguments.of(
                        Limit.of(1, ofMillis(500)), new QuotaPolicy(119, 60, false), Limit.of(1, ofNanos(504_201_681))),
                Arguments.of(
                        Limit.of(2, ofSeconds(1)), new QuotaPolicy(3, 2, false), Limit.of(1, ofNanos(666_666_667))),
                Arguments.of(
                        Limit.of(119, ofMinutes(1)),
                        new QuotaPolicy(50, 1, false),
                        Limit.of(12, ofNanos(6_666_666_667L))),
                Arguments.of(Limit.of(600, ofMinutes(1)), new QuotaPolicy(5, 1, false), Limit.of(5, ofSeconds(1))),
                Arguments.of(Limit.of(600, ofMinutes(1)), new QuotaPolicy(50, 1, false), Limit.of(50, ofSeconds(5))),
                Arguments.of(
                        Limit.of(1_000, ofDays(1)), new QuotaPolicy(100, 60, false), Limit.of(100, ofMinutes(144))),
                Arguments.of(
                        Limit.leakyBucket(100, ofSeconds(1)).withSlack(2),
                        new QuotaPolicy(50, 1, false),
                        Limit.leakyBucket(48, ofSeconds(1)).withSlack(2)),
                Arguments.of(
                        Limit.fixedWindow(100, ofSeconds(1)).aligned(),
                        new QuotaPolicy(50, 1, false),
                        Limit.fixedWindow(50, ofSeconds(1)).aligned()),
                Arguments.of(
                        Limit.slidingWindow(100, ofSeconds(1), 10),
                        new QuotaPolicy(50, 1, false),
                        Limit.slidingWindow(50, ofSeconds(1), 10)),
                Arguments.of(
                        Limit.slidingWindowCounter(100, ofSeconds(1)),
                        new QuotaPolicy(50, 1, false),
                        Limit.slidingWindowCounter(50, ofSeconds(1))),
                Arguments.of(
                        Limit.tokenBucket(200, 100, ofSeconds(1)),
                        new QuotaPolicy(50, 1, false),
                        Limit.tokenBucket(5, 46, ofSeconds(1))),
                Arguments.of(
                        Limit.tokenBucket(200, 100, ofSeconds(1)),
                        new QuotaPolicy(100, 1, false),
                        Limit.tokenBucket(10, 91, ofSeconds(1))),
                Arguments.of(
                        Limit.tokenBucket(1_000, 10, ofSeconds(1)),
                        new QuotaPolicy(100, 10, false),
                        Limit.tokenBucket(10, 10, ofNanos(1_098_901_099))),
                Arguments.of(
                        Limit.tokenBucket(101, 600, ofMinutes(1)),
                        new QuotaPolicy(100, 10, false),
                        Limit.tokenBucket(10, 91, ofSeconds(10))),
                Arguments.of(
                        Limit.tokenBucket(1_000, 10, ofSeconds(1)).refillingInSteps(),
                        new QuotaPolicy(100, 10, false),
                        Limit.tokenBucket(10, 10, ofSeconds(1)).refillingInSteps()),
                Arguments.of(
                        Limit.tokenBucket(1_000, 600, ofMinutes(1)).refillingInSteps(),
                        new QuotaPolicy(100, 10, false),
                        Limit.tokenBucket(100, 100, ofSeconds(10)).refillingInSteps()),
                Arguments.of(
                        Limit.tokenBucket(1_000, 10, ofSeconds(1)).startingWith(500),
                        new QuotaPolicy(100, 10, false),
                        Limit.tokenBucket(10, 10, ofNanos(1_098_901_099))),
                Arguments.of(
                        Limit.tokenBucket(100, 10, ofSeconds(1)),
                        new QuotaPolicy(100, 10, false),
                        Limit.tokenBucket(10, 10, ofNanos(1_098_901_099))),
                Arguments.of(
                        Limit.leakyBucket(100, ofSeconds(1)).withSlack(1_000),
                        new QuotaPolicy(50, 1, false),
                        Limit.leakyBucket(46, ofSeconds(1)).withSlack(4)),
                Arguments.of(
                        Limit.leakyBucket(100, ofSeconds(1)).withSlack(1_000),
                        new QuotaPolicy(500, 1, false),
                        Limit.leakyBucket(100, ofSeconds(1)).withSlack(400)),
                Arguments.of(
                        Limit.tokenBucket(150, 10, ofSeconds(1)),
                        new QuotaPolicy(200, 10, false),
                        Limit.tokenBucket(101, 10, ofSeconds(1))),
                Arguments.of(
                        Limit.tokenBucket(150, 10, ofSeconds(1)).refillingInSteps(),
                        new QuotaPolicy(200, 10, false),
                        Limit.tokenBucket(110, 10, ofSeconds(1)).refillingInSteps()),
                Arguments.of(
                        Limit.leakyBucket(100, ofSeconds(1)),
                        new QuotaPolicy(3_000, 60, false),
                        Limit.leakyBucket(50, ofSeconds(1))),
                Arguments.of(Limit.concurrency(9), new QuotaPolicy(5, 1, false), Limit.concurrency(9)),
                Arguments.of(own.countingCalls(), new QuotaPolicy(50, 1, false), own.countingCalls()),
                Arguments.of(Limit.unlimited(), new QuotaPolicy(5, 1, false), Limit.unlimited()));
    }

    @Test
    @DisplayName("a bucket that may catch up with whatever was late follows what is slower, too")
    void endlessSlack() {
        RateLimiter limiter = RateLimiter.of(Limit.leakyBucket(1, ofSeconds(1)).withSlack(Integer.MAX_VALUE));
        new PolicyFollower(limiter, 100, 10, ofMinutes(1)).follow(List.of(new QuotaPolicy(30, 60, false)));
        assertThat(limiter.limit())
                .isEqualTo(Limit.leakyBucket(1, ofNanos(2_142_857_143)).withSlack(2));
    }

    @ParameterizedTest(name = "{0} under {1}")
    @DisplayName("the slower of both, of the same kind, and not too slow")
    @MethodSource("followed")
    void follow(Limit own, QuotaPolicy policy, Limit expected) {
        RateLimiter limiter = RateLimiter.of(own);
        PolicyFollower follower = new PolicyFollower(limiter, 100, 10, ofMinutes(1));
        follower.follow(List.of(policy));
        assertThat(limiter.limit()).isEqualTo(expected);
        follower.follow(List.of(new QuotaPolicy(1_000_000, 1, false)));
        assertThat(limiter.limit()).isEqualTo(own);
        follower.follow(List.of());
        assertThat(limiter.limit()).isEqualTo(own);
    }

    @Test
    @DisplayName("of several policies the slowest, and of that a share")
    void share() {
        RateLimiter limiter = RateLimiter.of(Limit.of(100, ofSeconds(1)));
        new PolicyFollower(limiter, 90, 10, ofMinutes(1))
                .follow(List.of(
                        new QuotaPolicy(80, 1, false),
                        new QuotaPolicy(1_200, 60, false),
                        new QuotaPolicy(5, 86_400, false)));
        assertThat(limiter.limit()).isEqualTo(Limit.of(18, ofSeconds(1)));
    }

    static Stream<Arguments> followedOfTwo() {
        List<QuotaPolicy> fiveAtOnce = List.of(new QuotaPolicy(5, 1, false), new QuotaPolicy(50, 60, false));
        List<QuotaPolicy> tenAtOnce = List.of(new QuotaPolicy(10, 1, false), new QuotaPolicy(300, 60, false));
        return Stream.of(
                Arguments.of(Limit.of(50, ofMinutes(1)), fiveAtOnce, Limit.of(5, ofSeconds(6))),
                Arguments.of(Limit.of(5, ofMinutes(1)), fiveAtOnce, Limit.of(5, ofMinutes(1))),
                Arguments.of(Limit.of(600, ofMinutes(1)), tenAtOnce, Limit.of(10, ofSeconds(2))),
                Arguments.of(Limit.of(300, ofMinutes(1)), tenAtOnce, Limit.of(10, ofSeconds(2))),
                Arguments.of(Limit.of(40, ofSeconds(1)), tenAtOnce, Limit.of(5, ofSeconds(1))),
                Arguments.of(
                        Limit.tokenBucket(50, 50, ofMinutes(1)), fiveAtOnce, Limit.tokenBucket(5, 46, ofMinutes(1))),
                Arguments.of(
                        Limit.leakyBucket(50, ofMinutes(1)).withSlack(49),
                        fiveAtOnce,
                        Limit.leakyBucket(46, ofMinutes(1)).withSlack(4)));
    }

    @ParameterizedTest(name = "{0} under {1}")
    @DisplayName("of several policies the slowest, but no more at once than the one with the fewest permits")
    @MethodSource("followedOfTwo")
    void fewestAtOnce(Limit own, List<QuotaPolicy> policies, Limit expected) {
        for (List<QuotaPolicy> order : List.of(policies, List.of(policies.get(1), policies.get(0)))) {
            RateLimiter limiter = RateLimiter.of(own);
            new PolicyFollower(limiter, 100, 10, ofMinutes(1)).follow(order);
            assertThat(limiter.limit()).isEqualTo(expected);
        }
    }

    @RepeatedTest(10)
    @DisplayName(
            "nine tenths of the slowest of several policies or more, never more than any, nor than any quota at once")
    void keepsMostOfSeveral() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 500; round++) {
            List<QuotaPolicy> policies = Stream.of(1, 10, 60)
                    .map(window -> new QuotaPolicy(1 + random.nextInt(1 << random.nextInt(16)), window, false))
                    .toList();
            Rate slowest =
                    policies.stream().map(Rate::of).reduce(Rate::slowerOf).orElseThrow();
            Limit own = ownNear(slowest, random);
            RateLimiter limiter = RateLimiter.of(own);
            new PolicyFollower(limiter, 100, 1, ofHours(1)).follow(policies);

            Rate result = Rate.of(limiter.limit()).orElseThrow();
            String context = String.format("seed %d: %s under %s is %s", seed, own, policies, limiter.limit());
            assertThat(isSlower(result, Rate.of(own).orElseThrow().slowerOf(slowest), 90))
                    .as(context)
                    .isFalse();
            assertThat(result.isFasterThan(slowest)).as(context).isFalse();
            assertThat(policies).as(context).allMatch(policy -> Rate.burstOf(limiter.limit()) <= policy.quota());
        }
    }

    @Test
    @DisplayName("a share of few permits takes a longer time rather than half of the rate")
    void shareOfFew() {
        RateLimiter limiter = RateLimiter.of(Limit.of(2, ofSeconds(1)));
        new PolicyFollower(limiter, 90, 10, ofMinutes(1)).follow(List.of(new QuotaPolicy(2, 1, false)));
        assertThat(limiter.limit()).isEqualTo(Limit.of(2, ofNanos(1_111_111_112)));
    }

    @ParameterizedTest
    @ValueSource(longs = {2_305_843_009L, 9_000_000_000L, 999_999_999_999_999L})
    @DisplayName("a window longer than any limit can have, where windows have no bound: as slow as allowed")
    void endlessWindow(long seconds) {
        RateLimiter limiter = RateLimiter.of(Limit.of(100, ofSeconds(1)));
        new PolicyFollower(limiter, 1, 10, FOREVER.getDuration()).follow(List.of(new QuotaPolicy(5, seconds, false)));
        assertThat(limiter.limit()).isEqualTo(Limit.of(10, ofSeconds(1)));
    }

    @ParameterizedTest
    @ValueSource(ints = {50, 80, 200})
    @DisplayName(
            "a limit that its owner changes meanwhile, be it to what is granted, is what it is meant to be from then on")
    void changedByItsOwner(int changed) {
        RateLimiter limiter = RateLimiter.of(Limit.of(100, ofSeconds(1)));
        PolicyFollower follower = new PolicyFollower(limiter, 100, 10, ofMinutes(1));
        follower.follow(List.of(new QuotaPolicy(80, 1, false)));
        limiter.reconfigure(Limit.of(changed, ofSeconds(1)));

        follower.follow(List.of(new QuotaPolicy(90, 1, false)));
        assertThat(limiter.limit()).isEqualTo(Limit.of(Math.min(changed, 90), ofSeconds(1)));
        follower.follow(List.of(new QuotaPolicy(1, 60, false)));
        assertThat(limiter.limit()).isEqualTo(Limit.of(changed / 10, ofSeconds(1)));
        follower.follow(List.of(new QuotaPolicy(1_000_000, 1, false)));
        assertThat(limiter.limit()).isEqualTo(Limit.of(changed, ofSeconds(1)));
    }

    @Test
    @DisplayName("a change that fails leaves the next answer to be followed")
    void failedChange() {
        RateLimiter limiter = RateLimiter.of(Limit.of(100, ofSeconds(1)));
        AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {
            throw new IllegalStateException("planned");
        });
        PolicyFollower follower = new PolicyFollower(overtaken(limiter, meanwhile), 100, 10, ofMinutes(1));
        QuotaPolicy policy = new QuotaPolicy(50, 1, false);

        assertThatIllegalStateException().isThrownBy(() -> follower.follow(List.of(policy)));
        follower.follow(List.of(policy));
        assertThat(limiter.limit()).isEqualTo(Limit.of(50, ofSeconds(1)));
    }

    @Test
    @DisplayName("a limit that the limiter has refused is not tried again with each answer, another one is")
    void refusedChange() {
        RateLimiter limiter = RateLimiter.of(Limit.of(100, ofSeconds(1)));
        AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {
            throw new IllegalArgumentException("planned");
        });
        PolicyFollower follower = new PolicyFollower(overtaken(limiter, meanwhile), 100, 10, ofMinutes(1));
        QuotaPolicy refused = new QuotaPolicy(50, 1, false);

        assertThatIllegalArgumentException().isThrownBy(() -> follower.follow(List.of(refused)));
        follower.follow(List.of(refused));
        assertThat(limiter.limit()).isEqualTo(Limit.of(100, ofSeconds(1)));
        follower.follow(List.of(new QuotaPolicy(20, 1, false)));
        assertThat(limiter.limit()).isEqualTo(Limit.of(20, ofSeconds(1)));
    }

    @Test
    @DisplayName("a limit that the limiter has refused is tried again once it has accepted another one")
    void refusedForTheMoment() {
        RateLimiter limiter = RateLimiter.of(Limit.of(100, ofSeconds(1)));
        AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {
            throw new IllegalArgumentException("not now");
        });
        PolicyFollower follower = new PolicyFollower(overtaken(limiter, meanwhile), 100, 10, ofMinutes(1));
        QuotaPolicy refused = new QuotaPolicy(20, 1, false);

        assertThatIllegalArgumentException().isThrownBy(() -> follower.follow(List.of(refused)));
        follower.follow(List.of(new QuotaPolicy(50, 1, false)));
        follower.follow(List.of(refused));
        assertThat(limiter.limit()).isEqualTo(Limit.of(20, ofSeconds(1)));
    }

    @Test
    @DisplayName("of two answers at once the later one holds, also where the limiter hears of it first")
    void latestAdviceHolds() {
        RateLimiter limiter = RateLimiter.of(Limit.of(100, ofSeconds(1)));
        AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
        PolicyFollower follower = new PolicyFollower(overtaken(limiter, meanwhile), 100, 10, ofMinutes(1));
        QuotaPolicy earlier = new QuotaPolicy(50, 1, false);
        QuotaPolicy later = new QuotaPolicy(20, 1, false);
        meanwhile.set(() -> follower.follow(List.of(later)));

        follower.follow(List.of(earlier));
        assertThat(limiter.limit()).isEqualTo(Limit.of(20, ofSeconds(1)));
        follower.follow(List.of(later));
        assertThat(limiter.limit()).isEqualTo(Limit.of(20, ofSeconds(1)));
        follower.follow(List.of(earlier));
        assertThat(limiter.limit()).isEqualTo(Limit.of(50, ofSeconds(1)));
    }

    @Test
    @DisplayName("a grant that comes as an earlier one is refused is kept to, and the refusal told")
    void comesAsAnotherIsRefused() {
        AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
        RateLimiter limiter = overtaken(RateLimiter.of(Limit.of(100, ofSeconds(1))), meanwhile);
        PolicyFollower follower = new PolicyFollower(limiter, 100, 10, ofMinutes(1));
        IllegalArgumentException refusal = new IllegalArgumentException("planned");
        meanwhile.set(() -> {
            follower.follow(List.of(new QuotaPolicy(50, 1, false)));
            throw refusal;
        });
        assertThatThrownBy(() -> follower.follow(List.of(new QuotaPolicy(70, 1, false))))
                .isSameAs(refusal);
        assertThat(limiter.limit()).isEqualTo(Limit.of(50, ofSeconds(1)));
        follower.follow(List.of(new QuotaPolicy(60, 1, false)));
        assertThat(limiter.limit()).isEqualTo(Limit.of(60, ofSeconds(1)));
    }

    /** A limiter that hears of a change only after something else has happened, once. */
    private static RateLimiter overtaken(RateLimiter limiter, AtomicReference<Runnable> meanwhile) {
        return (RateLimiter) Proxy.newProxyInstance(
                RateLimiter.class.getClassLoader(), new Class<?>[] {RateLimiter.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("reconfigure")) {
                        meanwhile.getAndSet(() -> {}).run();
                    }
                    return method.invoke(limiter, arguments);
                });
    }

    @RepeatedTest(10)
    @DisplayName("never faster than meant or granted, never slower than allowed, whatever the numbers are")
    void bounds() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            LeakyBucket own = new LeakyBucket(
                    1 + random.nextInt(1 << random.nextInt(31)), ofNanos(1 + random.nextInt(Integer.MAX_VALUE)), 0);
            QuotaPolicy policy =
                    new QuotaPolicy(1 + random.nextInt(1 << random.nextInt(31)), 1 + random.nextInt(60), false);
            RateLimiter limiter = RateLimiter.of(own);
            int leastPercent = 1 + random.nextInt(100);
            new PolicyFollower(limiter, 1 + random.nextInt(100), leastPercent, ofHours(1)).follow(List.of(policy));

            Rate result = Rate.of(limiter.limit()).orElseThrow();
            Rate meant = Rate.of(own).orElseThrow();
            Rate granted =
                    new Rate(policy.quota(), ofSeconds(policy.windowSeconds()).toNanos());
            Rate least = meant.percentOrMore(leastPercent);
            assertThat(result.isFasterThan(meant))
                    .as("seed %d: %s %s %s", seed, own, policy, result)
                    .isFalse();
            assertThat(result.isFasterThan(granted) && result.isFasterThan(least))
                    .as("seed %d: %s %s %s", seed, own, policy, result)
                    .isFalse();
            assertThat(isSlower(result, meant, leastPercent))
                    .as("seed %d: %s %s %s at least %d %%", seed, own, policy, result, leastPercent)
                    .isFalse();
        }
    }

    @RepeatedTest(10)
    @DisplayName(
            "nine tenths of the slower of both or more, never more than either, also in the window of either, nor at once")
    void keepsMost() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 500; round++) {
            QuotaPolicy policy =
                    new QuotaPolicy(1 + random.nextInt(1 << random.nextInt(16)), 1 + random.nextInt(60), false);
            Rate granted = Rate.of(policy);
            Limit own = ownNear(granted, random);
            Rate meant = Rate.of(own).orElseThrow();
            RateLimiter limiter = RateLimiter.of(own);
            new PolicyFollower(limiter, 100, 1, ofHours(1)).follow(List.of(policy));

            Rate result = Rate.of(limiter.limit()).orElseThrow();
            String context = String.format("seed %d: %s under %s is %s", seed, own, policy, limiter.limit());
            assertThat(isSlower(result, meant.slowerOf(granted), 90))
                    .as(context)
                    .isFalse();
            assertThat(result.isFasterThan(meant) || result.isFasterThan(granted))
                    .as(context)
                    .isFalse();
            assertThat(Rate.burstOf(limiter.limit()))
                    .as(context)
                    .isLessThanOrEqualTo(Math.min(Rate.burstOf(own), policy.quota()));
            if (own instanceof SlidingWindowLog) {
                assertThat(mostWithin(meant.nanos(), result)).as(context).isLessThanOrEqualTo(meant.permits());
                assertThat(mostWithin(granted.nanos(), result)).as(context).isLessThanOrEqualTo(granted.permits());
            }
        }
    }

    /** Makes a limit of any kind, from a twentieth to the double of what is granted, with a period of a microsecond or more. */
    private static Limit ownNear(Rate granted, Random random) {
        int permits = 1 + random.nextInt(1 << random.nextInt(16));
        int percent = 50 + random.nextInt(1_950);
        Duration time = ofNanos(Math.max(1_000, permits * granted.nanos() / granted.permits() * percent / 100));
        return switch (random.nextInt(6)) {
            case 0 -> Limit.fixedWindow(permits, time);
            case 1 -> Limit.slidingWindow(permits, time, 1 + random.nextInt(10));
            case 2 -> Limit.slidingWindowCounter(permits, time);
            case 3 -> Limit.leakyBucket(permits, time).withSlack(random.nextInt(permits));
            case 4 -> Limit.tokenBucket(1 + random.nextInt(2 * permits), permits, time);
            default -> Limit.of(permits, time);
        };
    }

    /** Returns how many permits an exact window of this rate grants within a time at most. */
    private static long mostWithin(long nanos, Rate rate) {
        return rate.permits() * ((nanos - 1) / rate.nanos() + 1);
    }

    /** Tells whether a rate is slower than some percent of another one, without a division. */
    private static boolean isSlower(Rate rate, Rate other, int percent) {
        BigInteger hundredths = BigInteger.valueOf(100L * rate.permits()).multiply(BigInteger.valueOf(other.nanos()));
        BigInteger bound =
                BigInteger.valueOf((long) percent * other.permits()).multiply(BigInteger.valueOf(rate.nanos()));
        return hundredths.compareTo(bound) < 0;
    }

    @Test
    @DisplayName("fractions become longer times, rounded up, or down where it must not be slower")
    void fractions() {
        assertThat(new Rate(1, 10).percent(30)).isEqualTo(new Rate(1, 34));
        assertThat(new Rate(2, 10).percent(90)).isEqualTo(new Rate(2, 12));
        assertThat(new Rate(1, 10).percentOrMore(30)).isEqualTo(new Rate(1, 33));
        assertThat(new Rate(3, 10).percentOrMore(60)).isEqualTo(new Rate(2, 11));
    }
}
