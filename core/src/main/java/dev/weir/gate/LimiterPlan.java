package dev.weir.gate;

import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.stream.StreamOptions;
import dev.weir.stream.WhenFull;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A plan whose limiters are there before a stream is subscribed, or, with keys, are found as its elements arrive.
 *
 * @param <T> the type of the elements
 */
public abstract sealed class LimiterPlan<T> extends GatePlan<T> permits OneLimiterPlan, PerKeyPlan {

    /** The key of every element, if there are no keys. */
    static final Object NO_KEY = new Object();

    LimiterPlan(StreamOptions options, int readAhead) {
        super(options, readAhead);
    }

    @Override
    public final ElementGate<T> newGate(GatedStream<T> stream, StreamThreads threads) {
        // A grant arrives on the thread that made it possible, which must not run this stream's downstream.
        Executor resume = options().emitOn().orElseGet(threads::newWorker);
        return new ElementGate<>(this, stream, resume);
    }

    final boolean rejectsWhenFull() {
        return options().buffer() > 0 && options().whenFull() == WhenFull.REJECT_NEW;
    }

    final Intake newIntake(StreamSource<T> source, StreamFailure failure) {
        return options().buffer() > 0 ? Intake.once(source, failure) : Intake.ahead(source, failure, room(), hasKeys());
    }

    final Lanes<T> newLanes(Losses<T> losses, StreamFailure failure) {
        boolean evicts = options().buffer() > 0 && options().whenFull() == WhenFull.EVICT_OLDEST;
        boolean newestFirst = options().order() == QueueOrder.NEWEST_FIRST && room() > 1;
        return hasKeys() || evicts || newestFirst
                ? new HeldLanes<>(room(), newestFirst, evicts, losses::drop, failure)
                : new FifoLanes<>(limiterOf(NO_KEY), room());
    }

    /** Whether elements of different keys have different limiters. If not, the key of all is {@link #NO_KEY}. */
    abstract boolean hasKeys();

    abstract Object keyOf(T element);

    abstract RateLimiter limiterOf(Object key);

    abstract int costOf(T element);

    /** Returns what takes the permits of elements that have gone; null if others ask the limiter, too. */
    abstract @Nullable DeferredPermits newDeferredPermits();
}
