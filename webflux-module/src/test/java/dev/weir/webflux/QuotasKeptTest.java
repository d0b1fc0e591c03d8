package dev.weir.webflux;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A client that follows policies, in virtual time, against a server that admits its quota in no window of that length twice. */
class QuotasKeptTest {

    private static final int CALLS = 300;

    static Stream<Arguments> unequalWindows() {
        return Stream.of(
                Arguments.of(Limit.of(100, ofSeconds(10)), new QuotaPolicy(11, 11, false)),
                Arguments.of(Limit.of(10, ofSeconds(10)), new QuotaPolicy(11, 11, false)),
                Arguments.of(Limit.of(100, ofSeconds(10)), new QuotaPolicy(15, 15, false)),
                Arguments.of(Limit.of(20, ofSeconds(1)), new QuotaPolicy(3, 2, false)),
                Arguments.of(Limit.of(50, ofSeconds(2)), new QuotaPolicy(30, 3, false)),
                Arguments.of(Limit.of(60, ofSeconds(7)), new QuotaPolicy(30, 10, false)));
    }

    @ParameterizedTest(name = "{0} under {1}")
    @DisplayName("a window that is no multiple of the limiter's period: no quota is exceeded, and nine tenths are used")
    @MethodSource("unequalWindows")
    void unequalWindow(Limit own, QuotaPolicy policy) {
        checkFromFull(own, 1, policy);
    }

    static Stream<Arguments> buckets() {
        QuotaPolicy six = new QuotaPolicy(6, 1, false);
        QuotaPolicy hundred = new QuotaPolicy(100, 10, false);
        return Stream.of(
                Arguments.of(Limit.leakyBucket(30, ofSeconds(1)).withSlack(9), six),
                Arguments.of(Limit.tokenBucket(73, 71, ofSeconds(10)), six),
                Arguments.of(Limit.tokenBucket(100, 10, ofSeconds(1)), hundred),
                Arguments.of(Limit.tokenBucket(100, 1, ofSeconds(1)), hundred));
    }

    @ParameterizedTest(name = "{0} under {1}")
    @DisplayName("a bucket that is full, as after a quiet time: no quota is exceeded, and nine tenths are used")
    @MethodSource("buckets")
    void fullBucket(Limit own, QuotaPolicy policy) {
        checkFromFull(own, 1, policy);
    }

    static Stream<Arguments> grantsOfTheLeastRate() {
        QuotaPolicy ninetyNine = new QuotaPolicy(99, 200, false);
        return Stream.of(
                Arguments.of(Limit.of(700, ofSeconds(50)), 10, new QuotaPolicy(77, 55, false)),
                Arguments.of(Limit.of(3, ofSeconds(2)), 100, new QuotaPolicy(5, 3, false)),
                Arguments.of(Limit.of(75, ofSeconds(1)), 10, new QuotaPolicy(75, 10, false)),
                Arguments.of(Limit.tokenBucket(1, 3, ofSeconds(2)), 33, ninetyNine),
                Arguments.of(Limit.tokenBucket(9, 3, ofSeconds(2)), 33, ninetyNine));
    }

    @ParameterizedTest(name = "{0} at least {1} % of it under {2}")
    @DisplayName(
            "a quota that grants the least rate or little more, be that no whole number of ns a permit, is not exceeded")
    @MethodSource("grantsOfTheLeastRate")
    void grantOfTheLeastRate(Limit own, int leastPercent, QuotaPolicy policy) {
        checkFromFull(own, leastPercent, policy);
    }

    @RepeatedTest(10)
    @DisplayName(
            "whatever the limit and the policies, no quota is exceeded in any window of its length, and nine tenths are used")
    void anyLimit() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 50; round++) {
            List<QuotaPolicy> policies = Stream.generate(() -> policy(random))
                    .limit(1 + random.nextInt(3))
                    .toList();
            Rate slowest =
                    policies.stream().map(Rate::of).reduce(Rate::slowerOf).orElseThrow();
            Limit own = own(slowest, random);
            Client client = new Client(own, policies, random.nextLong(), 1);
            client.call(random, 20);
            client.check(String.format("seed %d: %s under %s is %s", seed, own, policies, client.limiter.limit()));
        }
    }

    private static void checkFromFull(Limit own, int leastPercent, QuotaPolicy policy) {
        Client client = new Client(own, List.of(policy), 77, leastPercent);
        client.call(new Random(0), 0);
        client.check(own + " under " + policy);
    }

    private static QuotaPolicy policy(Random random) {
        return new QuotaPolicy(1 + random.nextInt(1 << random.nextInt(10)), 1 + random.nextInt(20), false);
    }

    /** Makes a limit with a twentieth to the twentyfold of what is granted. */
    private static Limit own(Rate granted, Random random) {
        int permits = 1 + random.nextInt(1 << random.nextInt(9));
        Duration time =
                granted.timeFor(permits).multipliedBy(5 + random.nextInt(2_000)).dividedBy(100);
        return switch (random.nextInt(4)) {
            case 0 -> Limit.leakyBucket(permits, time).withSlack(random.nextInt(2 * permits));
            case 1 -> Limit.tokenBucket(1 + random.nextInt(2 * permits), permits, time);
            case 2 -> Limit.slidingWindow(permits, time, 1 + random.nextInt(10));
            default -> Limit.of(permits, time);
        };
    }

    /** Calls whenever its limiter lets it. */
    private static final class Client {

        private final VirtualTimeSource time;
        private final RateLimiter limiter;
        private final Rate own;
        private final List<QuotaPolicy> policies;
        private final List<Long> sent = new ArrayList<>();

        Client(Limit own, List<QuotaPolicy> policies, long origin, int leastPercent) {
            this.time = new VirtualTimeSource(origin);
            this.limiter = RateLimiter.builder(own).timeSource(time).build();
            this.own = Rate.of(own).orElseThrow();
            this.policies = policies;
            new PolicyFollower(limiter, 100, leastPercent, ofDays(1)).follow(policies);
        }

        /** Makes all calls, after a quiet time now and then: one in as many as given, none for 0. */
        void call(Random random, int oneIn) {
            while (sent.size() < CALLS) {
                if (oneIn > 0 && random.nextInt(oneIn) == 0) {
                    time.advanceBy(ofNanos(random.nextLong(ofSeconds(60).toNanos())));
                }
                Lease lease = limiter.tryAcquire();
                if (lease.isAcquired()) {
                    sent.add(time.nanoTime());
                } else {
                    time.advanceBy(lease.retryAfter().orElseThrow());
                }
            }
        }

        void check(String context) {
            for (QuotaPolicy policy : policies) {
                long window = ofSeconds(policy.windowSeconds()).toNanos();
                for (int call = policy.quota(); call < CALLS; call++) {
                    assertThat(sent.get(call) - sent.get(call - policy.quota()))
                            .as("%s: call %d by %s", context, call, policy)
                            .isGreaterThanOrEqualTo(window);
                }
            }
            Rate granted = policies.stream().map(Rate::of).reduce(own, Rate::slowerOf);
            Duration least = Rate.of(limiter.limit()).orElseThrow().timeFor(900);
            assertThat(least)
                    .as(context)
                    .isLessThanOrEqualTo(granted.timeFor(1_000).plusNanos(1_000));
        }
    }
}
