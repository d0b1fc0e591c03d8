package dev.weir.benchmarks.waiting;

import dev.weir.Lease;
import dev.weir.PermitListener;
import dev.weir.PermitRequest;
import dev.weir.RateLimiter;
import dev.weir.benchmarks.CountingTime;
import dev.weir.limit.Limit;
import dev.weir.reactor.RateLimit;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Predicate;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** The queue of this library, entered in each of the ways that there are. */
final class OurRooms {

    /** As many as ever wait, so that all are due at the same time. */
    private static final int PERMITS = 1_000_000;

    private static final Duration PERIOD = Duration.ofDays(365);
    private static final Duration BOUND = PERIOD.multipliedBy(2);

    private static final PermitListener NOBODY = OurRooms::unexpected;

    private OurRooms() {}

    static Room callbacks() {
        return new Queue(limiter -> limiter.acquire(1, NOBODY), request -> ((PermitRequest) request).cancel());
    }

    static Room callbacksWithBound() {
        return new Queue(limiter -> limiter.acquire(1, BOUND, NOBODY), request -> ((PermitRequest) request).cancel());
    }

    static Room futures() {
        return new Queue(OurRooms::future, request -> ((Future<?>) request).cancel(false));
    }

    static Room monos() {
        return new Queue(
                limiter -> Mono.just(1).transform(RateLimit.with(limiter)).subscribe(), OurRooms::disposed);
    }

    private static boolean disposed(Object request) {
        Disposable subscription = (Disposable) request;
        boolean waited = !subscription.isDisposed();
        subscription.dispose();
        return waited;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // It is kept as the request.
    private static Object future(RateLimiter limiter) {
        return limiter.acquire();
    }

    private static void unexpected(Lease lease) {
        throw new IllegalStateException("nobody was to be granted anything, but " + lease);
    }

    private static final class Queue implements Room {

        private final CountingTime time = new CountingTime();
        private final RateLimiter limiter =
                RateLimiter.builder(Limit.of(PERMITS, PERIOD)).timeSource(time).build();
        private final Function<RateLimiter, Object> enter;
        private final Predicate<Object> leave;

        Queue(Function<RateLimiter, Object> enter, Predicate<Object> leave) {
            this.enter = enter;
            this.leave = leave;
            if (!limiter.tryAcquire(PERMITS).isAcquired()) {
                throw new IllegalStateException("the first permits were refused");
            }
        }

        @Override
        public Object enter() {
            return enter.apply(limiter);
        }

        @Override
        public boolean leave(Object request) {
            return leave.test(request);
        }

        @Override
        public long waiting() {
            return limiter.statistics().queuedPermits();
        }

        @Override
        public int timers() {
            return time.pending();
        }
    }
}
