package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Bounded waits for limits that count requests: each request ahead is one, whatever it asks for. */
class MaxWaitCountingCallsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration BOUND = Duration.ofMillis(3_500);
    private static final Limit MANY = Limit.tokenBucket(100_000, 100_000, SECOND);

    /** How limits are wrapped that then count requests as the limit itself counts permits. */
    private static final List<UnaryOperator<Limit>> CALLS = List.of(
            Limit::countingCalls,
            limit -> limit.countingCalls().countingCalls(),
            limit -> Limit.allOf(MANY, limit.countingCalls()),
            limit -> Limit.allOf(MANY, limit).countingCalls());

    private final SteppedTime time = new SteppedTime(-7);

    @Test
    @DisplayName("who has too many requests before it is refused at once, and the others wait")
    void refusedAtOnce() {
        for (int permits : new int[] {1, 50}) {
            for (UnaryOperator<Limit> calls : CALLS) {
                RateLimiter limiter = limiter(calls.apply(Limit.of(1, SECOND)), BOUND);
                for (RateLimiter each : List.of(limiter, RateLimiter.chain(limiter), nested(limiter))) {
                    List<Lease> answers = new ArrayList<>();
                    for (int i = 0; i < 100; i++) {
                        each.acquire(permits, BOUND, answers::add);
                    }
                    assertThat(answers)
                            .as("%s, %d permits", each, permits)
                            .hasSize(97)
                            .extracting(lease -> lease.reason().orElse(null))
                            .startsWith((RefusalReason) null)
                            .endsWith(RefusalReason.MAX_WAIT);
                    time.advanceBy(BOUND);
                    assertThat(answers).hasSize(100);
                    assertThat(answers.subList(97, 100)).allMatch(Lease::isAcquired);
                    time.advanceBy(SECOND);
                }
            }
        }
    }

    private RateLimiter nested(RateLimiter limiter) {
        return RateLimiter.chain(RateLimiter.chain(limiter(MANY, BOUND)), RateLimiter.chain(limiter));
    }

    private RateLimiter limiter(Limit limit, Duration maxWait) {
        return RateLimiter.builder(limit).maxWait(maxWait).timeSource(time).build();
    }

    @Test
    @DisplayName("requests for one permit are decided at the same instants, counted as requests or as permits")
    void decidedAlike() {
        List<Limit> limits = List.of(
                Limit.of(1, SECOND),
                Limit.of(3, SECOND),
                Limit.slidingWindow(3, SECOND, 4),
                Limit.slidingWindowCounter(3, SECOND),
                Limit.fixedWindow(2, SECOND),
                Limit.tokenBucket(4, 2, SECOND),
                Limit.tokenBucket(4, 2, SECOND).refillingInSteps(),
                Limit.leakyBucket(3, SECOND).withSlack(1));
        for (Limit limit : limits) {
            for (UnaryOperator<Limit> calls : CALLS) {
                for (long seed = 1; seed <= 20; seed++) {
                    Limit counting = calls.apply(limit);
                    assertThat(decisions(counting, seed))
                            .as("%s, seed %d", counting, seed)
                            .isEqualTo(decisions(limit, seed));
                }
            }
        }
    }

    /** What became of each request of a random trace, and when, in the order of the decisions. */
    private static List<String> decisions(Limit limit, long seed) {
        SteppedTime time = new SteppedTime(0);
        RateLimiter limiter = RateLimiter.builder(limit)
                .maxWait(Duration.ofMillis(2_500))
                .timeSource(time)
                .build();
        List<String> decided = new ArrayList<>();
        List<PermitRequest> requests = new ArrayList<>();
        Random random = new Random(seed);
        for (int step = 0; step < 60; step++) {
            for (int i = random.nextInt(4); i > 0; i--) {
                String name = "request " + requests.size();
                requests.add(limiter.acquire(
                        1, lease -> decided.add(name + " " + lease.reason() + " at " + time.nanoTime())));
            }
            if (random.nextInt(6) == 0 && !requests.isEmpty()) {
                requests.get(random.nextInt(requests.size())).cancel();
            }
            time.advanceBy(Duration.ofMillis(random.nextInt(400)));
        }
        time.advanceBy(Duration.ofSeconds(9));
        return decided;
    }
}
