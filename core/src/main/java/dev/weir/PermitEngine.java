package dev.weir;

import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The limiter: combines the arithmetic of a policy, a queue of waiting requests, and time. This class has the public methods and
 * the fast path; {@link PermitDrain} serves the waiting requests.
 */
final class PermitEngine extends DrainOnDemand {

    /*
     * The algorithm.
     *
     * Fast path. If no request waits that would be overtaken, a request goes straight to the policy, and usually that is all: one
     * reading of the clock, one compare-and-set inside the policy, and no allocation but the lease, which escape analysis can
     * remove.
     *
     * Slow path. A request that cannot be answered becomes a Waiter, is handed to the drain, and waits there. Nothing is reserved
     * for it: it holds a place, not a permit. So leaving needs no arithmetic, and changing the limit no correction. Whatever may
     * allow a request to be granted (the alarm, a lease given back, a cancelled head, a new limit, the closing of the limiter)
     * signals the drain. The drain asks the policy for the head of the queue as long as it grants, sets the alarm according to
     * the first refusal, and stops there: smaller requests do not overtake the head, or it might starve. A request that merely
     * joins or leaves behind the head changes nothing for it, and the policy is not asked.
     *
     * Granting races with cancelling. The drain takes permits first and moves the request to GRANTED second, both atomically; if
     * the request was cancelled in between, the drain gives the permits back. So permits are conserved under every interleaving:
     * granted = delivered + given back.
     *
     * Finding the queue empty races with entering it. The number of waiting permits is raised before the waiter is handed to the
     * drain. A request that read zero before that began before the other could know that it must wait, so neither was first. The
     * waiter cannot miss permits that the other leaves: its own signal makes the drain ask the policy again.
     *
     * One of a million. A limiter of one key among many is the same engine, kept small: it shares its Terms, has counters of its
     * own, has a drain only while requests wait, and may be retired once its state equals that of a new one (see Retirable for
     * why no permits are taken from it then). So every use first leaves its mark, in the policy or in the drain, and then checks
     * that the mark counts. If not, nothing has happened: the caller, which knows the key, starts over with the successor.
     *
     * No lock is held while user code runs: the drain only decides, and its thread delivers the answers after leaving it.
     *
     * References: the hand-over resembles that of the semaphore queues of kotlinx.coroutines (state changed by one
     * compare-and-set, the loser returns the permit) and of the pending queue of reactor-pool (allocation strategy separate from
     * the order of service); first come, first served with all-or-nothing requests is as in the limiters of .NET.
     */

    /** No bound on a wait, or no known end of it: {@link PermitPolicy#AWAIT_SIGNAL}, which a policy tells, is passed on as it is. */
    static final long UNBOUNDED = PermitPolicy.AWAIT_SIGNAL;

    /** The result of a take from an engine that has been retired: ask its successor. */
    static final long GONE = -2;

    /** Creates an engine that stands alone, or, with a key, one of many. */
    PermitEngine(Terms terms, @Nullable Object key) {
        super(terms, key);
        policy.signalTo(this::signal);
    }

    // Asking

    @Override
    public Lease tryAcquire(int permits) {
        return present(tryAcquireHere(permits));
    }

    /** As {@link #tryAcquire}, or null if this engine has been retired. */
    @Nullable
    Lease tryAcquireHere(int permits) {
        Terms terms = terms();
        long now = timeOfRequest(terms);
        terms.check(permits);
        long wait = takeNow(terms, permits, now);
        if (wait == GONE) {
            return null;
        }
        if (terms.isPlain) {
            // Grant and refusal share one constructor call, so that escape analysis can remove the lease.
            RefusalReason refusal = wait == PermitPolicy.TAKEN ? null : Pause.pausedOrExhausted(pauseLeft(now));
            count(refusal == null ? 1 : 0, refusal == null ? 0 : 1);
            long nanos = refusal == null ? now : wait;
            return new PermitLease(this, permits, refusal, null, nanos);
        }
        return told(
                wait == PermitPolicy.TAKEN
                        ? countGranted(permits, now)
                        : countRefused(permits, reasonNotToWait(terms, now), null, wait, now));
    }

    @Override
    public boolean tryConsume(int permits) {
        return consumeHere(permits) == PermitPolicy.TAKEN;
    }

    /** As {@link #tryConsume}, but returns the result of {@link PermitPolicy#tryTake}, or {@link #GONE}. */
    long consumeHere(int permits) {
        Terms terms = terms();
        terms.check(permits);
        if (policy.returnsOnRelease()) {
            return PermitPolicy.AWAIT_SIGNAL;
        }
        long now = timeOfRequest(terms);
        long wait = takeNow(terms, permits, now);
        if (wait == PermitPolicy.TAKEN) {
            count(1, 0);
            terms.tellAcquired(permits, 0, terms.isRemote() ? sourceAt(now) : DecisionSource.LOCAL);
        }
        return wait;
    }

    @Override
    public void addEngines(List<PermitEngine> engines) {
        engines.add(this);
    }

    /** Returns how long until there are enough permits for {@code askers} requests of {@code permits} each, all at once. */
    long nanosUntilEachHas(int askers, int permits) {
        long others = (askers - 1L) * permits;
        return terms().everHas(askers, permits) ? nanosUntil(others, Math.max(1, permits), now()) : UNBOUNDED;
    }

    @Override
    public long nanosUntilAsKnown(int permits, long nowNanos) {
        long wait = nanosUntil(0, permits, nowNanos);
        return wait == UNBOUNDED && nanosUntilDecided(permits, nowNanos) > 0
                ? nanosAtLeast(Ahead.NOTHING, permits, nowNanos)
                : wait;
    }

    @Override
    public @Nullable Lease takeForChain(ChainRequest chainRequest) {
        Terms terms = terms();
        int permits = chainRequest.permits();
        if (terms.isClosed() || permits > capacity()) {
            return null;
        }
        long now = timeOfRequest(terms);
        return !isHeldUp(terms, chainRequest, now) && take(permits, now) == PermitPolicy.TAKEN
                ? told(countGranted(permits, now))
                : null;
    }

    @Override
    public PermitRequest request(int permits, long maxWaitNanos, PermitListener listener) {
        return present(requestHere(permits, maxWaitNanos, listener));
    }

    /** As {@link #request}, or null if this engine has been retired. */
    @Nullable
    PermitRequest requestHere(int permits, long maxWaitNanos, PermitListener listener) {
        Objects.requireNonNull(listener, "listener");
        Terms terms = terms();
        terms.check(permits);
        long now = timeOfRequest(terms);
        boolean isHeldUp = isHeldUp(terms, permits, now);
        long wait = isHeldUp ? PermitPolicy.AWAIT_SIGNAL : take(permits, now);
        if (wait == PermitPolicy.TAKEN) {
            return toldAtOnce(terms, listener, countGranted(permits, now));
        }
        if (wait == GONE) {
            return null;
        }
        long longest = Math.min(terms.maxWaitNanos, maxWaitNanos);
        boolean awaitsStoreOnly = longest == 0 && terms.isRemote();
        long bound = awaitsStoreOnly ? nanosUntilAnswered(permits, now) : longest;
        if (bound == 0) {
            long retry = isHeldUp ? nanosUntilRetry(permits, now) : wait;
            return toldAtOnce(terms, listener, countRefused(permits, reasonNotToWait(terms, now), null, retry, now));
        }
        long since = policy.isTimed() ? now : now();
        if (isBehindMoreThanFits(terms, permits, now)) {
            long retry = nanosBehindAll(permits, since);
            return toldAtOnce(terms, listener, countRefused(permits, RefusalReason.QUEUE_FULL, null, retry, now));
        }
        return enqueue(permits, bound, awaitsStoreOnly, since, listener);
    }

    private static PermitRequest toldAtOnce(Terms terms, PermitListener listener, Lease lease) {
        Delivery.tellAtOnce(terms, listener, lease);
        return SettledRequest.INSTANCE;
    }

    /**
     * Returns whether so many permits are waited for that there is no room for a request, however many of them are granted at once:
     * the capacity, or what is available if that is more (a store is not asked). The drain would refuse it as well; but threads that
     * ask faster than it refuses would fill the memory.
     */
    private boolean isBehindMoreThanFits(Terms terms, int permits, long nowNanos) {
        long behind = waitingPermits() - terms.queueLimit;
        return permits > 0
                && !terms.isNewestFirst
                && behind > terms.capacity
                && (terms.isRemote() || behind > policy.available(nowNanos));
    }

    /**
     * Returns how long until all those ahead could be served and a request after them, or, if the policy cannot tell, until the
     * request alone could be.
     */
    private long nanosBehindAll(int permits, long nowNanos) {
        if (permits > capacity()) {
            return UNBOUNDED;
        }
        long wait = nanosUntil(waitingPermits(), permits, nowNanos);
        if (wait == UNBOUNDED) {
            long alone = nanosUntil(0, permits, nowNanos);
            return alone > 0 ? alone : UNBOUNDED;
        }
        return wait > 0 ? wait : nanosUntilRetry(permits, nowNanos);
    }

    /** Returns the result of {@link PermitPolicy#tryTake}, considering the queue and a pause, or {@link #GONE}. */
    private long takeNow(Terms terms, int permits, long nowNanos) {
        return isHeldUp(terms, permits, nowNanos) ? nanosUntilRetry(permits, nowNanos) : take(permits, nowNanos);
    }

    private long take(int permits, long nowNanos) {
        long wait;
        try {
            wait = policy.tryTake(permits, nowNanos);
        } catch (Throwable broken) {
            signalAfterLook();
            throw broken;
        }
        if (wait != PermitPolicy.TAKEN) {
            signalAfterLook();
            return checked(wait);
        }
        return confirmUse() ? wait : GONE;
    }

    private RefusalReason reasonNotToWait(Terms terms, long nowNanos) {
        RefusalReason reason = Pause.pausedOrExhausted(pauseLeft(nowNanos));
        return reason == RefusalReason.PAUSED || terms.isPlain || policy.failure(nowNanos) == null
                ? reason
                : RefusalReason.BACKEND_UNAVAILABLE;
    }

    /**
     * {@inheritDoc} If permits are available but others are ahead, a retry is worthwhile when the first of them is due; if the limit
     * has become smaller than the request, never.
     */
    @Override
    public long nanosUntilRetry(int permits, long nowNanos) {
        if (permits > capacity()) {
            return UNBOUNDED;
        }
        long wait = Math.max(pauseLeft(nowNanos), nanosBesidesPause(0, Math.max(1, permits), nowNanos));
        return wait > 0 ? wait : Math.max(1, nanosUntilFirst(nowNanos));
    }

    /** An engine used directly is never retired; only a caller that knows the key can find the successor of another. */
    private static <T> T present(@Nullable T answer) {
        return Objects.requireNonNull(answer, "retired");
    }

    // Answering

    /** Refuses a request that has been checked. */
    Lease exhausted(int permits, long retryNanos, long nowNanos) {
        return told(countRefused(permits, RefusalReason.EXHAUSTED, null, retryNanos, nowNanos));
    }

    private Lease told(Lease lease) {
        terms().tell(lease);
        return lease;
    }

    // Steering

    @Override
    public void pauseFor(Duration duration) {
        long nanos = Settings.nanos(duration, "duration");
        terms().checkOpen();
        if (nanos > 0) {
            pause(nanos);
        }
    }

    @Override
    public void reconfigure(Limit limit) {
        try {
            change(limit);
            pin();
        } finally {
            limitChanged(); // a change that is refused may have been made for a moment
        }
    }

    @Override
    public void close() {
        closeTerms();
        pin();
        try {
            policy.close();
        } finally {
            signal();
        }
    }

    // Telling

    @Override
    public long availablePermits() {
        long now = now();
        return pauseLeft(now) > 0 ? Math.min(0, policy.available(now)) : policy.available(now);
    }

    @Override
    public RateLimiterStatistics statistics() {
        return statistics(availablePermits(), waitingPermits());
    }

    @Override
    public Optional<Duration> idleDuration() {
        long now = now();
        return nanosUntilIdle(now) == 0
                ? Optional.of(Duration.ofNanos(Math.max(0, policy.nanosSinceFull(now))))
                : Optional.empty();
    }

    /** Returns how long until no take affects the state any more, {@link #UNBOUNDED} if that is not known. */
    long nanosUntilIdle(long nowNanos) {
        return isExpecting() ? UNBOUNDED : Math.max(pauseLeft(nowNanos), policy.nanosUntilFull(nowNanos));
    }

    /** Returns whether, once this is idle, a new engine would behave the same: not if the limit starts partly full. */
    boolean comesBackFresh(long nowNanos) {
        return terms().isRemote() || terms().limit.newPolicy(nowNanos).nanosUntilFull(nowNanos) == 0;
    }

    /** Returns whether a new engine would behave the same; never true for a limit that starts partly full. */
    @Override
    boolean isUnused() {
        long now = now();
        return nanosUntilIdle(now) == 0 && comesBackFresh(now);
    }

    @Override
    public String toString() {
        return "RateLimiter[" + name() + "]";
    }
}
