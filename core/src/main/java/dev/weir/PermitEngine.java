package dev.weir;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The limiter: the arithmetic of a policy, a queue for those who must wait, and time.
 *
 * <p>This class is the face and the fast path. What happens to those who wait is {@link PermitDrain}.
 */
final class PermitEngine implements RateLimiter {

    /*
     * The algorithm.
     *
     * Fast path. A request goes straight to the policy if nobody waits who would be overtaken, and usually that is all: one
     * reading of the clock, one compare-and-set inside the policy, nothing allocated but the lease, which the compiler can
     * do without.
     *
     * Slow path. A request that cannot be answered becomes a Waiter, travels to the drain, and waits there. Nothing is
     * reserved for it: it holds a place, not a permit. So leaving needs no arithmetic, and changing the limit no correction.
     * Whatever may let somebody go (the alarm, a lease given back, a cancelled head, another limit, the end of the limiter)
     * signals the drain, which asks the policy for the head of the queue as long as it says yes, sets the alarm by the first
     * no, and stops there: the head is not overtaken by smaller requests behind it, or it might starve.
     *
     * Who takes and who cancels at the same time. The drain takes permits first and moves the request to GRANTED second, both
     * atomically; if the request was cancelled in between, the drain gives the permits back. So permits are conserved under
     * every interleaving: granted = delivered + given back.
     *
     * Who finds the queue empty and who enters it at the same time. The number of waiting permits is raised before the waiter
     * sets out. A request that read zero before that began before the other could know that it must wait, so neither was
     * first. The waiter cannot miss permits that the other leaves: its own signal makes the drain ask the policy again.
     *
     * Nothing is held while user code runs: the drain only decides, and its thread tells the decisions after leaving it.
     *
     * References: the shape of the hand-over is that of the semaphore queues of kotlinx.coroutines (state by one
     * compare-and-set, the loser returns the permit) and of the pending queue of reactor-pool (allocation strategy apart from
     * the order of service); first come first served with all-or-nothing requests is that of the limiters of .NET.
     */

    /** No bound on a wait, and no known end of it. */
    static final long UNBOUNDED = Long.MAX_VALUE;

    final PermitPolicy policy;
    final TimeSource time;
    final Pause pause = new Pause();
    final @Nullable RateLimiterObserver observer;

    private final String name;
    private final boolean isNewestFirst;
    private final long maxWaitNanos;
    private final PermitDrain drain;

    /** Permits that waiting requests ask for. Positive: somebody would be overtaken. */
    private final AtomicLong waiting = new AtomicLong();

    private final LongAdder acquired = new LongAdder();
    private final LongAdder refused = new LongAdder();

    private volatile Limit limit;
    private volatile boolean closed;

    PermitEngine(PermitEngineBuilder settings) {
        this.name = settings.name;
        this.limit = settings.limit;
        this.time = settings.timeSource;
        this.isNewestFirst = settings.queueOrder == QueueOrder.NEWEST_FIRST;
        this.maxWaitNanos = settings.maxWaitNanos;
        this.observer = settings.observer;
        this.policy = settings.limit.newPolicy(time.nanoTime());
        this.drain = new PermitDrain(this, new WaitQueue(settings.queueOrder, settings.queueLimit));
        policy.signalTo(drain::signal);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Limit limit() {
        return limit;
    }

    // Asking

    @Override
    public Lease tryAcquire(int permits) {
        checkRequest(permits);
        long now = time.nanoTime();
        long wait = takeNow(permits, now);
        return wait == PermitPolicy.TAKEN ? granted(permits, now) : refused(permits, reasonNotToWait(now), wait);
    }

    @Override
    public boolean tryConsume(int permits) {
        checkRequest(permits);
        if (policy.returnsOnRelease()) {
            return false;
        }
        long now = time.nanoTime();
        if (takeNow(permits, now) != PermitPolicy.TAKEN) {
            return false;
        }
        acquired.increment();
        tellAcquired(permits, 0);
        return true;
    }

    @Override
    public CompletableFuture<Lease> acquire(int permits) {
        return LeaseFuture.request(this, permits);
    }

    @Override
    public PermitRequest acquire(int permits, PermitListener listener) {
        return request(permits, maxWaitNanos, listener);
    }

    @Override
    public PermitRequest acquire(int permits, Duration maxWait, PermitListener listener) {
        return request(permits, Math.min(maxWaitNanos, nanos(maxWait, "maxWait")), listener);
    }

    private PermitRequest request(int permits, long maxWaitNanos, PermitListener listener) {
        Objects.requireNonNull(listener, "listener");
        checkRequest(permits);
        long now = time.nanoTime();
        long wait = takeNow(permits, now);
        if (wait == PermitPolicy.TAKEN) {
            Answers.tell(listener, granted(permits, now));
            return SettledRequest.INSTANCE;
        }
        if (maxWaitNanos == 0) {
            Answers.tell(listener, refused(permits, reasonNotToWait(now), wait));
            return SettledRequest.INSTANCE;
        }
        Waiter waiter = new Waiter(this, permits, maxWaitNanos, now, listener);
        waiting.addAndGet(permits);
        drain.enter(waiter);
        return waiter;
    }

    /** Answers as {@link PermitPolicy#tryTake}, under all that may hold a request up. */
    private long takeNow(int permits, long nowNanos) {
        long pauseLeft = pause.nanosLeft(nowNanos);
        boolean mustQueue = permits > 0 && !isNewestFirst && waiting.get() > 0;
        return pauseLeft > 0 || mustQueue ? nanosUntilRetry(permits, nowNanos) : policy.tryTake(permits, nowNanos);
    }

    private RefusalReason reasonNotToWait(long nowNanos) {
        return pause.nanosLeft(nowNanos) > 0 ? RefusalReason.PAUSED : RefusalReason.EXHAUSTED;
    }

    /**
     * Returns after how long the request would succeed if nobody else asked, {@link #UNBOUNDED} if that is not known. Where
     * permits are there but others are ahead, it is worth a retry when the first of them is due.
     */
    long nanosUntilRetry(int permits, long nowNanos) {
        long wait = Math.max(pause.nanosLeft(nowNanos), policy.nanosUntil(Math.max(1, permits), nowNanos));
        return wait > 0 ? wait : Math.max(1, drain.nanosUntilDue(nowNanos));
    }

    private void checkRequest(int permits) {
        int capacity = limit.capacity();
        if (permits < 0 || permits > capacity) {
            throw new IllegalArgumentException(
                    "permits must be between 0 and " + capacity + ", the capacity of " + limit + ", but is " + permits);
        }
        checkOpen();
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("Rate limiter '" + name + "' is closed");
        }
    }

    // Answering

    private Lease granted(int permits, long nowNanos) {
        Lease lease = countGranted(permits, nowNanos);
        tellAcquired(permits, 0);
        return lease;
    }

    private Lease refused(int permits, RefusalReason reason, long retryNanos) {
        Lease lease = countRefused(permits, reason, null, retryNanos);
        tellRefused(permits, reason);
        return lease;
    }

    Lease countGranted(int permits, long takenAtNanos) {
        acquired.increment();
        return new PermitLease(this, permits, null, null, takenAtNanos);
    }

    Lease countRefused(int permits, RefusalReason reason, @Nullable Throwable cause, long retryNanos) {
        refused.increment();
        return new PermitLease(this, permits, reason, cause, retryNanos);
    }

    void tellAcquired(int permits, long waitedNanos) {
        if (observer != null) {
            Answers.tell(() -> observer.onAcquired(permits, waitedNanos));
        }
    }

    void tellRefused(int permits, RefusalReason reason) {
        if (observer != null) {
            Answers.tell(() -> observer.onRefused(permits, reason));
        }
    }

    // Leases and waiters that come back

    /** Permits that a waiter no longer asks for, whatever became of it. */
    void noLongerWaiting(Waiter waiter) {
        waiting.addAndGet(-waiter.permits);
    }

    void cancelled(Waiter waiter, boolean wasWaiting) {
        noLongerWaiting(waiter);
        if (wasWaiting) {
            drain.leave(waiter);
        }
        if (observer != null) {
            long waited = waiter.waitedNanos(time.nanoTime());
            Answers.tell(() -> observer.onCancelled(waiter.permits, waited));
        }
    }

    void settle(int granted, int actual, long takenAtNanos) {
        if (actual > granted) {
            policy.charge(actual - granted, time.nanoTime());
        } else if (actual < granted) {
            policy.giveBack(granted - actual, takenAtNanos, time.nanoTime());
            drain.signal();
        }
    }

    /** As {@link #settle} after {@link #release}: what closing returns has been returned already. */
    void settleClosed(int granted, int actual, long takenAtNanos) {
        if (!policy.returnsOnRelease()) {
            settle(granted, actual, takenAtNanos);
        }
    }

    void release(int permits) {
        if (policy.returnsOnRelease() && permits > 0) {
            policy.release(permits, time.nanoTime());
            drain.signal();
        }
    }

    void undo(int permits, long takenAtNanos) {
        acquired.decrement();
        if (permits > 0) {
            policy.giveBack(permits, takenAtNanos, time.nanoTime());
            drain.signal();
        }
    }

    // Steering

    @Override
    public void charge(int permits) {
        if (permits < 0) {
            throw new IllegalArgumentException("permits must not be negative, but is " + permits);
        }
        checkOpen();
        if (permits > 0) {
            policy.charge(permits, time.nanoTime());
        }
    }

    @Override
    public void pauseFor(Duration duration) {
        long nanos = nanos(duration, "duration");
        checkOpen();
        if (nanos > 0) {
            pause.extendTo(time.nanoTime() + nanos);
        }
    }

    @Override
    public void reconfigure(Limit limit) {
        Objects.requireNonNull(limit, "limit");
        checkOpen();
        if (limit.getClass() != this.limit.getClass()) {
            throw new IllegalArgumentException("limit must be of the same kind as " + this.limit + ", but is " + limit);
        }
        policy.reconfigure(limit, time.nanoTime());
        this.limit = limit;
        drain.signal();
    }

    @Override
    public void close() {
        closed = true;
        drain.signal();
    }

    boolean isClosed() {
        return closed;
    }

    // Telling

    @Override
    public long availablePermits() {
        long now = time.nanoTime();
        return pause.nanosLeft(now) > 0 ? Math.min(0, policy.available(now)) : policy.available(now);
    }

    @Override
    public RateLimiterStatistics statistics() {
        return new RateLimiterStatistics(availablePermits(), waiting.get(), acquired.sum(), refused.sum());
    }

    @Override
    public Optional<Duration> idleDuration() {
        long now = time.nanoTime();
        boolean idle = waiting.get() == 0 && pause.nanosLeft(now) == 0 && policy.nanosUntilFull(now) == 0;
        return idle ? Optional.of(Duration.ofNanos(policy.nanosSinceFull(now))) : Optional.empty();
    }

    @Override
    public String toString() {
        return "RateLimiter[" + name + "]";
    }

    /** Returns a duration in nanoseconds, as long as can be told if it is longer. */
    static long nanos(Duration duration, String name) {
        if (Objects.requireNonNull(duration, name).isNegative()) {
            throw new IllegalArgumentException(name + " must not be negative, but is " + duration);
        }
        try {
            return Math.min(duration.toNanos(), UNBOUNDED / 2);
        } catch (ArithmeticException e) {
            return UNBOUNDED / 2;
        }
    }
}
