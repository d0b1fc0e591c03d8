package dev.weir.benchmarks.decision;

import dev.weir.benchmarks.Compared;
import dev.weir.benchmarks.Kind;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Who decides. Each is measured in a virtual machine that knows no other. */
public enum Contender implements Compared {
    CLOCK(Kind.FLOOR, "nanoTime", Floors::clock),
    CLOCK_AND_CAS(Kind.FLOOR, "nanoTime + CAS", Floors::clockAndCompareAndSet),
    LOSERS_SPIN(Kind.FLOOR, "the same, who fails spins for a while", Floors::losersSpin),
    LOSERS_SLEEP(Kind.FLOOR, "the same, who fails sleeps", Floors::losersSleep),
    COUNTED(Kind.FLOOR, "nanoTime + CAS (to refuse: nanoTime) and LongAdder", Floors::counted),
    RING(Kind.FLOOR, "nanoTime + CAS, and the times of 100 in a ring", Floors::clockAndRing),
    SEMAPHORE(Kind.FLOOR, "Semaphore, acquire and release", Floors::semaphore),
    SEMAPHORE_ON_LOAN(Kind.FLOOR, "the same, by what can be closed once", Floors::semaphoreOnLoan),

    EXACT_5("exact window of 5", 5, Limit::of),
    EXACT_100("exact window of 100", 100, Limit::of),
    EXACT_1024("exact window of 1,024", 1024, Limit::of),
    EXACT_100K("exact window of 100,000", 100_000, Limit::of),
    SEGMENTS("window in 10 segments", Contender.MANY, (permits, period) -> Limit.slidingWindow(permits, period, 10)),
    COUNTER("sliding counter", Contender.MANY, Limit::slidingWindowCounter),
    FIXED("fixed window", Contender.MANY, Limit::fixedWindow),
    TOKENS("token bucket", Contender.MANY, (permits, period) -> Limit.tokenBucket(permits, permits, period)),
    STEPS(
            "token bucket in steps",
            Contender.MANY,
            (permits, period) -> Limit.tokenBucket(permits, permits, period).refillingInSteps()),
    LEAKY("leaky bucket", 1, Limit::leakyBucket),
    ALL_OF(
            "tokens and calls (allOf)",
            1024,
            (permits, period) -> Limit.allOf(
                    Limit.tokenBucket(permits, permits, period),
                    Limit.of(permits, period).countingCalls())),
    COUNTING_CALLS(
            "counting calls",
            Contender.MANY,
            (permits, period) -> Limit.tokenBucket(permits, permits, period).countingCalls()),
    CONCURRENCY(
            Kind.OURS,
            "concurrency, acquire and close",
            outcome -> Weir.acquiringAndClosing(
                    outcome, Contender.AT_ONCE, (permits, period) -> Limit.concurrency(permits))),

    EXACT_100_CONSUMED(Kind.OURS, "exact window of 100, no lease", outcome -> Weir.consuming(outcome, 100, Limit::of)),
    TOKENS_CONSUMED(
            Kind.OURS,
            "token bucket, no lease",
            outcome -> Weir.consuming(
                    outcome, Contender.MANY, (permits, period) -> Limit.tokenBucket(permits, permits, period))),

    RESILIENCE4J(Kind.PEER, "Resilience4j", Peers::resilience4j),
    BUCKET4J(Kind.PEER, "Bucket4j", Peers::bucket4j),
    BUCKET4J_MILLIS(Kind.PEER, "Bucket4j, clock of milliseconds", Peers::bucket4jOnMilliseconds),
    GUAVA(Kind.PEER, "Guava", Peers::guava),
    FAILSAFE_SMOOTH(Kind.PEER, "Failsafe, smooth", Peers::failsafeSmooth),
    FAILSAFE_BURSTY(Kind.PEER, "Failsafe, bursty", Peers::failsafeBursty),
    RESILIENCE4J_BULKHEAD(Kind.PEER, "Resilience4j bulkhead, acquire and release", Peers::resilience4jBulkhead),
    FAILSAFE_BULKHEAD(Kind.PEER, "Failsafe bulkhead, acquire and release", Peers::failsafeBulkhead);

    /** The size of a limit that costs the same whatever its size. */
    static final int MANY = 1_000_000;

    /** How many may be under way where that is what is limited. */
    static final int AT_ONCE = 1_000;

    private static final Set<Contender> JUST_GRANT = EnumSet.of(CLOCK_AND_CAS, LOSERS_SPIN, LOSERS_SLEEP);

    private final Kind kind;
    private final String label;

    @SuppressWarnings("ImmutableEnumChecker") // A recipe without a state.
    private final Function<Outcome, Decision> decision;

    Contender(Kind kind, String label, Function<Outcome, Decision> decision) {
        this.kind = kind;
        this.label = label;
        this.decision = decision;
    }

    Contender(String label, int permits, BiFunction<Integer, Duration, Limit> limit) {
        this(Kind.OURS, label, outcome -> Weir.acquiring(outcome, permits, limit));
    }

    @Override
    public Kind kind() {
        return kind;
    }

    @Override
    public String label() {
        return label;
    }

    /** Whether the contender does what its name says. Who refuses has nothing to set. */
    public boolean takesPart(Outcome outcome) {
        return !JUST_GRANT.contains(this) || outcome == Outcome.GRANTED;
    }

    Decision decision(Outcome outcome) {
        return decision.apply(outcome);
    }
}
