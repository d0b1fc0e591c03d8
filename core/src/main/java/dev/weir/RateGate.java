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
 * Blocks the calling thread until a {@link RateLimiter} lets it proceed, for code that can spare a thread, platform or virtual.
 * Nothing else in this library blocks, but for connecting to a store (weir-redis), and event loops must not call this class.
 *
 * <pre>{@code
 * RateGate gate = new RateGate(5, ofSeconds(1));
 * for (String url : gate.limitRate(List.of("/a", "/b", "/c"))) {
 *     client.fetch(url).block();
 * }
 * }</pre>
 *
 * <p>Any number of threads may wait at one gate; they proceed in the order of the limiter's queue. A waiting virtual thread does
 * not occupy a carrier thread. A waiting thread costs one request in that queue. Time is that of the limiter: with a virtual time
 * source, waits end when its time is advanced.
 *
 * <p>A permit is never lost: a thread that is interrupted, or that times out, either leaves without a permit or proceeds. The
 * gate keeps no lease that it could close, so do not use it where a limit of {@linkplain dev.weir.limit.Concurrency concurrency}
 * takes part, alone or with others: its permits would never come back.
 *
 * <p>After the limiter is closed, all calls, including those that are waiting, throw {@link IllegalStateException}.
 */
public final class RateGate implements AutoCloseable {

    private final RateLimiter limiter;
    private final boolean isOwnLimiter;

    /**
     * Creates a gate with a limiter of its own that admits at most {@code occurrences} in any interval of length {@code period}.
     *
     * @param occurrences the most that any such interval admits; at least 1
     * @param period the length of the interval
     * @throws IllegalArgumentException if either is not positive, or the period is longer than 2^61 - 1 nanoseconds
     */
    public RateGate(int occurrences, Duration period) {
        if (occurrences < 1) {
            throw new IllegalArgumentException("occurrences must be at least 1, but is " + occurrences);
        }
        this.limiter = RateLimiter.of(Limit.of(occurrences, period));
        this.isOwnLimiter = true;
    }

    /**
     * Creates a gate for a limiter that may be used elsewhere as well.
     *
     * @param limiter decides when threads may proceed; not closed with the gate
     */
    public RateGate(RateLimiter limiter) {
        this.limiter = Objects.requireNonNull(limiter, "limiter");
        this.isOwnLimiter = false;
    }

    /**
     * Blocks until the limiter lets the calling thread proceed.
     *
     * @throws InterruptedException if the thread is interrupted before it may proceed; it has not taken a permit then
     * @throws RateLimitExceededException if the limiter refuses, because of the settings of its queue or because something it
     *     depends on failed
     * @throws IllegalStateException if the limiter is closed, before the call or during the wait
     */
    public void waitToProceed() throws InterruptedException {
        Lease lease = await(null);
        if (!lease.isAcquired()) {
            throw new RateLimitExceededException(lease, limiter.name());
        }
    }

    /**
     * Blocks until the limiter lets the calling thread proceed, at most for a timeout. Returns at once if it is known that the
     * wait would be longer. Unlike {@link #waitToProceed()} it does not throw for a refusal: check the result.
     *
     * @param timeout the longest wait; zero does not wait for permits. If they are kept in a store that has to be asked first, the
     *     thread waits for its answer, at most twice the deadline of a call to the store
     * @return whether the thread may proceed; if not, no permit was taken: the timeout has passed or would pass, or the limiter
     *     refused for another reason
     * @throws InterruptedException if the thread is interrupted before it may proceed; it has not taken a permit then
     * @throws IllegalArgumentException if the timeout is negative
     * @throws IllegalStateException if the limiter is closed, before the call or during the wait
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
        ParkedThread parked = new ParkedThread(Thread.currentThread());
        PermitRequest request = timeout == null ? limiter.acquire(1, parked) : limiter.acquire(1, timeout, parked);
        Lease lease = park(parked, request);
        if (lease.reason().filter(RefusalReason.CLOSED::equals).isPresent()) {
            throw new IllegalStateException("Rate limiter '" + limiter.name() + "' was closed");
        }
        return lease;
    }

    /** If an interrupt comes too late to cancel the request, waits for the answer and restores the interrupt flag. */
    private Lease park(ParkedThread parked, PermitRequest request) throws InterruptedException {
        boolean interrupted = false;
        Lease lease = parked.lease;
        while (lease == null) {
            LockSupport.park(this);
            if (Thread.interrupted()) {
                if (request.cancel()) {
                    throw new InterruptedException("Interrupted while waiting to proceed");
                }
                interrupted = true;
            }
            lease = parked.lease;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return lease;
    }

    /**
     * Returns a stream of the same elements, in which the thread that processes an element first waits to proceed. Lazy: nothing
     * waits before a terminal operation, and only the elements that it consumes are waited for. Order, parallelism and close
     * handlers are those of the source. A parallel stream blocks threads of its pool, usually the common pool of the JVM.
     *
     * <p>An interrupt ends the stream with a {@link CancellationException} and leaves the thread's interrupt flag set. The
     * terminal operation throws a {@link RateLimitExceededException} if the limiter refuses an element, as when it would have to
     * wait longer than the limiter allows, and an {@link IllegalStateException} if the limiter is closed.
     *
     * @param source the stream to pace
     * @param <T> the type of the elements
     * @return the paced stream
     */
    public <T> Stream<T> limitRate(Stream<T> source) {
        return Objects.requireNonNull(source, "source").peek(element -> waitOrCancel());
    }

    /**
     * Returns the same elements; {@link Iterator#next()} waits to proceed before it takes each element from the source. It asks
     * the source whether there is a next element first, so it never waits for an element that does not exist.
     *
     * <p>An interrupt ends {@link Iterator#next()} with a {@link CancellationException} and leaves the thread's interrupt flag
     * set. It throws a {@link RateLimitExceededException} if the limiter refuses, as when the wait would be longer than the limiter
     * allows, and an {@link IllegalStateException} if the limiter is closed. In none of these cases does the iterator advance.
     *
     * @param source the elements to pace
     * @param <T> the type of the elements
     * @return the paced elements, which can be iterated over as often as the source
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

    /**
     * Closes the limiter if it is the gate's own: waiting threads get an {@link IllegalStateException}. A gate on a limiter that it was
     * given does nothing, and goes on: whoever made that closes it. Idempotent.
     */
    @Override
    public void close() {
        if (isOwnLimiter) {
            limiter.close();
        }
    }

    /** Stores the answer for a waiting thread and unparks it. */
    private static final class ParkedThread implements PermitListener.Direct {

        private final Thread thread;
        private volatile @Nullable Lease lease;

        ParkedThread(Thread thread) {
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
