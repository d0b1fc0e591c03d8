package dev.weir.limit;

import java.time.Duration;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** At one instant every policy is a number of free permits: whatever threads do, they do it one after another. */
class PolicyLinearizabilityTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int PERMITS = TakeOperations.FREE + TakeOperations.OUT;

    /** More with -Dlincheck.thoroughness=n, as the profile thorough has it. */
    private static final int THOROUGHNESS = Integer.getInteger("lincheck.thoroughness", 1);

    private static void check(Class<? extends TakeOperations> operations, Class<? extends PermitCount> model) {
        new ModelCheckingOptions()
                .iterations(5 * THOROUGHNESS)
                .invocationsPerIteration(100 * THOROUGHNESS)
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(1)
                .actorsAfter(1)
                .sequentialSpecification(model)
                .check(operations);
    }

    public static class OfSlidingWindowLog extends PermitOperations {
        public OfSlidingWindowLog() {
            super(Limit.of(PERMITS, SECOND));
        }
    }

    @Test
    @DisplayName("the exact window")
    void slidingWindowLog() {
        check(OfSlidingWindowLog.class, PermitCount.class);
    }

    /** Those that begin to remember when a request is settled for less. */
    public abstract static class BucketOperations extends PermitOperations {

        BucketOperations(Limit limit) {
            super(limit);
        }

        @Operation
        public void settleTwoForOne() {
            policy.settle(2, 1, false, 0, 0);
        }
    }

    public static class OfTokenBucket extends BucketOperations {
        public OfTokenBucket() {
            super(Limit.tokenBucket(PERMITS, 1, SECOND));
        }
    }

    @Test
    @DisplayName("the token bucket")
    void tokenBucket() {
        check(OfTokenBucket.class, PermitCount.class);
    }

    public static class OfSteppedTokenBucket extends PermitOperations {
        public OfSteppedTokenBucket() {
            super(Limit.tokenBucket(PERMITS, 1, SECOND).refillingInSteps());
        }
    }

    @Test
    @DisplayName("the token bucket that is refilled in steps")
    void steppedTokenBucket() {
        check(OfSteppedTokenBucket.class, PermitCount.class);
    }

    public static class OfLeakyBucket extends BucketOperations {
        public OfLeakyBucket() {
            super(Limit.leakyBucket(PERMITS, SECOND).withSlack(PERMITS - 1));
        }
    }

    @Test
    @DisplayName("the leaky bucket")
    void leakyBucket() {
        check(OfLeakyBucket.class, PermitCount.Spaced.class);
    }

    public static class OfFixedWindow extends PermitOperations {
        public OfFixedWindow() {
            super(Limit.fixedWindow(PERMITS, SECOND));
        }
    }

    @Test
    @DisplayName("the fixed window")
    void fixedWindow() {
        check(OfFixedWindow.class, PermitCount.class);
    }

    public static class OfSlidingWindow extends PermitOperations {
        public OfSlidingWindow() {
            super(Limit.slidingWindow(PERMITS, SECOND, 4));
        }
    }

    @Test
    @DisplayName("the window in segments")
    void slidingWindow() {
        check(OfSlidingWindow.class, PermitCount.class);
    }

    public static class OfSlidingWindowCounter extends PermitOperations {
        public OfSlidingWindowCounter() {
            super(Limit.slidingWindowCounter(PERMITS, SECOND));
        }
    }

    @Test
    @DisplayName("the sliding counter")
    void slidingWindowCounter() {
        check(OfSlidingWindowCounter.class, PermitCount.class);
    }

    public static class OfConcurrency extends PermitOperations {
        public OfConcurrency() {
            super(Limit.concurrency(PERMITS));
        }
    }

    @Test
    @DisplayName("the limit of concurrency")
    void concurrency() {
        check(OfConcurrency.class, PermitCount.Uncharged.class);
    }

    /** What is charged and what is available are told member by member, so those are no single steps. */
    public static class OfSeveral extends TakeOperations {
        public OfSeveral() {
            super(Limit.allOf(Limit.tokenBucket(PERMITS, 1, SECOND), Limit.of(PERMITS, SECOND)));
        }
    }

    @Test
    @DisplayName("several limits at once")
    void allOf() {
        check(OfSeveral.class, PermitCount.class);
    }
}
