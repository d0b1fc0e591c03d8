package dev.weir;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Blocks the calling thread until a {@link RateLimiter} lets it proceed: the front door for code that has a thread to spare,
 * plain or virtual. Everything else in this library never blocks, and event loops must stay away from this.
 *
 * <pre>{@code
 * RateGate gate = new RateGate(5, ofSeconds(1));
 * for (String url : gate.limitRate(List.of("/a", "/b", "/c"))) {
 *     client.fetch(url).block();
 * }
 * }</pre>
 *
 * <p>Any number of threads may wait at one gate; they proceed in the order of the limiter's queue. A virtual thread that waits
 * holds no carrier thread. A waiting thread costs one request in that queue, and the timer is that of the limiter: on a
 * limiter with a virtual time source, waits end when that time is moved on.
 *
 * <p>A permit is never lost: a thread that is interrupted, or whose time is up, either leaves without having taken one, or
 * proceeds. The gate proceeds and looks back no more: over a limit of {@linkplain dev.weir.limit.Concurrency concurrency}
 * it has nothing to close, so that is not a limit for a gate.
 *
 * <p>After the limiter was closed, {@link IllegalStateException} also for those that waited.
 */
public final class RateGate implements AutoCloseable {

    private final RateLimiter limiter;
    private final boolean isOwnLimiter;

    /**
     * Makes a gate with a limiter of its own that admits at most {@code occurrences} in any interval of length
     * {@code period}.
     *
     * @param occurrences the most that any such interval admits; at least 1
     * @param period the length of the interval
     * @throws IllegalArgumentException if either is not positive, or the period is too long to be counted in nanoseconds
     */
    public RateGate(int occurrences, Duration period) {
        if (occurrences < 1) {
            throw new IllegalArgumentException("occurrences must be at least 1, but is " + occurrences);
        }
        this.limiter = RateLimiter.of(Limit.of(occurrences, period));
        this.isOwnLimiter = true;
    }

    /**
     * Makes a gate before a limiter that others may use as well.
     *
     * @param limiter who lets threads proceed; not closed with the gate
     */
    public RateGate(RateLimiter limiter) {
        this.limiter = Objects.requireNonNull(limiter, "limiter");
        this.isOwnLimiter = false;
    }

    /**
     * Blocks until the limiter lets the calling thread proceed.
     *
     * @throws InterruptedException if the thread is interrupted before it may proceed; it has taken no permit then
     * @throws RateLimitExceededException if the limiter refuses to let it wait, or to let it wait any longer, by the settings
     *     of its queue
     * @throws IllegalStateException if the limiter is closed, before or meanwhile
     */
    public void waitToProceed() throws InterruptedException {
        Lease lease = await(null);
        if (!lease.isAcquired()) {
            throw new RateLimitExceededException(lease, limiter.name());
        }
    }

    /**
     * Blocks until the limiter lets the calling thread proceed, if it does within a time. Where it is known that it will
     * not, returns at once.
     *
     * @param timeout the longest wait; zero does not wait
     * @return whether the thread may proceed; if not, no permit was taken: the time is or would be up, or the limiter refused
     *     by the settings of its queue
     * @throws InterruptedException if the thread is interrupted before it may proceed; it has taken no permit then
     * @throws IllegalArgumentException if the timeout is negative
     * @throws IllegalStateException if the limiter is closed, before or meanwhile
     */
    public boolean waitToProceed(Duration timeout) throws InterruptedException {
        if (Objects.requireNonNull(timeout, "timeout").isNegative()) {
            throw new IllegalArgumentException("timeout must not be negative, but is " + timeout);
        }
        return await(timeout).isAcquired();
    }

    private Lease await(@Nullable Duration timeout) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("Interrupted before waiting to proceed");
        }
        Arrival arrival = new Arrival(Thread.currentThread());
        PermitRequest request = timeout == null ? limiter.acquire(1, arrival) : limiter.acquire(1, timeout, arrival);
        Lease lease = park(arrival, request);
        if (lease.reason().filter(RefusalReason.CLOSED::equals).isPresent()) {
            throw new IllegalStateException("Rate limiter '" + limiter.name() + "' was closed");
        }
        return lease;
    }

    /** An interrupt that comes too late to withdraw the request is left for whoever blocks next: the answer is on its way. */
    private Lease park(Arrival arrival, PermitRequest request) throws InterruptedException {
        boolean interrupted = false;
        Lease lease = arrival.lease;
        while (lease == null) {
            LockSupport.park(this);
            if (Thread.interrupted()) {
                if (request.cancel()) {
                    throw new InterruptedException("Interrupted while waiting to proceed");
                }
                interrupted = true;
            }
            lease = arrival.lease;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return lease;
    }

    /**
     * Returns a stream of the same elements, each of which waits to proceed on its way through, on the thread that processes
     * it. Lazy: nothing waits before a terminal operation, and only for what that consumes. Order, parallelism and close
     * handlers are those of the source.
     *
     * <p>An interrupt ends the stream with a {@link CancellationException} and leaves the thread interrupted.
     *
     * @param source the stream to pace
     * @param <T> the type of the elements
     * @return the paced stream
     */
    public <T> Stream<T> limitRate(Stream<T> source) {
        return Objects.requireNonNull(source, "source").peek(element -> waitOrCancel());
    }

    /**
     * Returns the same elements, each of which waits to proceed when it is asked for, before it is taken from the source. Whether
     * there is one the source is asked before that, so that nobody waits for an element that does not come.
     *
     * <p>An interrupt ends {@link Iterator#next()} with a {@link CancellationException} and leaves the thread interrupted; the
     * iterator has not moved then.
     *
     * @param source the elements to pace
     * @param <T> the type of the elements
     * @return the paced elements, to be iterated over as often as the source
     */
    public <T> Iterable<T> limitRate(Iterable<T> source) {
        Objects.requireNonNull(source, "source");
        return () -> new PacedIterator<>(source.iterator());
    }

    private void waitOrCancel() {
        try {
            waitToProceed();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            CancellationException cancelled = new CancellationException(e.getMessage());
            cancelled.initCause(e);
            throw cancelled;
        }
    }

    /** Closes the limiter, if it is the gate's own: whoever waits gets an {@link IllegalStateException}. Idempotent. */
    @Override
    public void close() {
        if (isOwnLimiter) {
            limiter.close();
        }
    }

    /** The answer to a thread that waits. */
    private static final class Arrival implements PermitListener.Direct {

        private final Thread thread;
        private volatile @Nullable Lease lease;

        Arrival(Thread thread) {
            this.thread = thread;
        }

        @Override
        public void onLease(Lease answer) {
            lease = answer;
            LockSupport.unpark(thread);
        }
    }

    private final class PacedIterator<T> implements Iterator<T> {

        private final Iterator<T> source;

        PacedIterator(Iterator<T> source) {
            this.source = source;
        }

        @Override
        public boolean hasNext() {
            return source.hasNext();
        }

        @Override
        public T next() {
            if (!source.hasNext()) {
                throw new NoSuchElementException();
            }
            waitOrCancel();
            return source.next();
        }

        @Override
        public void remove() {
            source.remove();
        }
    }
}
