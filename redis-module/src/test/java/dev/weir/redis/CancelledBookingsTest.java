package dev.weir.redis;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.CancelContract;
import dev.weir.testkit.ContractSubject;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Nested;

/** Who waits and leaves, leaves limits that the scripts keep as if he had never been. */
class CancelledBookingsTest extends OnAServer {

    private static final AtomicInteger MADE = new AtomicInteger();

    @Nested
    final class Window extends CancelContract {
        Window() {
            super(new Subject(Limit::of), 0);
        }
    }

    @Nested
    final class WindowsThatForget extends CancelContract {
        WindowsThatForget() {
            super(new Subject(Limit::fixedWindow), 0);
        }
    }

    @Nested
    final class Bucket extends CancelContract {
        Bucket() {
            super(new Subject((permits, period) -> Limit.tokenBucket(permits, permits, period)), 0);
        }
    }

    @Nested
    final class BucketInSteps extends CancelContract {
        BucketInSteps() {
            super(
                    new Subject((permits, period) ->
                            Limit.tokenBucket(permits, permits, period).refillingInSteps()),
                    0);
        }
    }

    @Nested
    final class WindowAndFasterBucket extends CancelContract {
        WindowAndFasterBucket() {
            super(
                    new Subject((permits, period) -> Limit.allOf(
                            Limit.of(permits, period), Limit.tokenBucket(permits, permits, period.dividedBy(4)))),
                    0);
        }
    }

    /** Limiters on keys of their own, each. */
    private record Subject(BiFunction<Integer, Duration, Limit> limits) implements ContractSubject {

        @Override
        public Limit limit(int permits, Duration period) {
            return limits.apply(permits, period);
        }

        @Override
        public RateLimiter.Builder builder(Limit limit) {
            String tag = "limiter" + MADE.incrementAndGet();
            return ModelFleet.builder(
                    limit, (kept, time) -> new ScriptStore(host, tag, time), Nodes.node(), ModelFleet.SETTINGS);
        }
    }
}
