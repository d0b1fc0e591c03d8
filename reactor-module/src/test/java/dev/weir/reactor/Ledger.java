package dev.weir.reactor;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Operators;
import reactor.core.publisher.SignalType;
import reactor.util.context.Context;

/** Everything that became of the elements of one stream: a subscriber that keeps books. */
final class Ledger<T> extends BaseSubscriber<T> {

    final Queue<T> received = new ConcurrentLinkedQueue<>();
    final Queue<Object> discarded = new ConcurrentLinkedQueue<>();
    final Queue<Object> dropped = new ConcurrentLinkedQueue<>();
    volatile Throwable error;
    volatile boolean completed;

    private final long initially;
    private final Context context = Operators.enableOnDiscard(Context.empty(), element -> discarded.add(element));

    Ledger(long initially) {
        this.initially = initially;
    }

    static <T> Ledger<T> unbounded() {
        return new Ledger<>(Long.MAX_VALUE);
    }

    /** Options that enter into these books what they hear of. */
    StreamOptions options(StreamOptions options) {
        return options.onDropped(dropped::add);
    }

    @Override
    public Context currentContext() {
        return context;
    }

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
        if (initially > 0) {
            request(initially);
        }
    }

    @Override
    protected void hookOnNext(T value) {
        received.add(value);
    }

    @Override
    protected void hookOnError(Throwable throwable) {
        error = throwable;
    }

    @Override
    protected void hookOnComplete() {
        completed = true;
    }

    @Override
    protected void hookFinally(SignalType type) {}

    List<T> received() {
        return List.copyOf(received);
    }

    List<Object> dropped() {
        return List.copyOf(dropped);
    }

    List<Object> discarded() {
        return List.copyOf(discarded);
    }

    static RateLimiter limiter(VirtualTimeSource time, int permits, Duration period) {
        return RateLimiter.builder(Limit.of(permits, period)).timeSource(time).build();
    }

    /** Takes everything there is. */
    static RateLimiter exhausted(VirtualTimeSource time, int permits, Duration period) {
        RateLimiter limiter = limiter(time, permits, period);
        Lease all = limiter.tryAcquire(permits);
        if (!all.isAcquired()) {
            throw new AssertionError(all);
        }
        return limiter;
    }
}
