package dev.weir;

import dev.weir.handle.Every;
import dev.weir.handle.Handles;
import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Several limiters as one: a request is granted when each of them grants it; otherwise none of them loses permits. */
final class Chain implements BuiltInLimiter {

    /*
     * The chain has its own queue and asks its members only on behalf of the head: it asks one of them for a permit, or for a
     * place in its queue. When that member has a permit, the chain asks all others for theirs. If all have permits, the head is
     * granted. If not, what was taken is given back, and the place moves to the queue of the member that has none. So no permit
     * is held while waiting for another, and a granted request found permits at all members at the moment it was granted. Since
     * only the head stands in a member's queue, each permit that arrives is examined once, however many wait. The same is done
     * separately for requests that only probe: each of the two keeps its own place, because the result for one says nothing about
     * the other.
     *
     * Chains with members in common. If a permit were held while the chain asks the others, two chains could each find the
     * other's permits gone and give back their own, for ever. So when a request is first in the queue of a member, it takes its
     * permit and asks the others within one pass of that member's drain, and what was taken in vain is returned before any other
     * request is examined. If, moreover, each request gave way to all that wait at other members, they would give way to one
     * another, since those may be waiting for permits this one holds. So a request gives way only to older requests, and keeps
     * its age wherever it waits (ChainRequest): the oldest gives way to none and is granted as soon as its members have permits.
     */

    private static final VarHandle QUEUE =
            Handles.of(() -> MethodHandles.lookup().findVarHandle(Chain.class, "queue", ChainQueue.class));

    private final Members members;
    private final Tally tally = new Tally();

    /** Created when a request first waits: a chain may have been created for one request. */
    private volatile @Nullable ChainQueue queue;

    /** Cached; created again when the limit of a member has changed. Streams ask for it with each element that has a cost. */
    private volatile @Nullable JointLimit limit;

    private volatile boolean closed;

    private Chain(Members members) {
        this.members = members;
    }

    static Chain of(RateLimiter... limiters) {
        return new Chain(Members.of(limiters));
    }

    Members members() {
        return members;
    }

    @Override
    public String name() {
        return members.limiters().map(RateLimiter::name).collect(Collectors.joining(", ", "chain(", ")"));
    }

    @Override
    public Limit limit() {
        JointLimit known = limit;
        if (known == null || !known.isThatOf(members.all())) {
            known = JointLimit.of(members.all());
            limit = known;
        }
        return known.together();
    }

    // Asking

    @Override
    public Lease tryAcquire(int permits) {
        check(permits);
        ChainQueue waited = queue;
        if (waited != null) {
            long now = time().nanoTime();
            Pause pause = waited.drain.pause;
            if (pause.isOn(now) || (permits > 0 && waited.drain.waitingPermits() > 0)) {
                RefusalReason reason = Pause.pausedOrExhausted(pause.nanosLeft(now));
                return waited.countRefused(permits, reason, null, waited.nanosUntilRetry(permits, now));
            }
        }
        List<Lease> answers = new ArrayList<>(members.all().size());
        if (takeFromAll(permits, answers)) {
            return countGranted(permits, List.copyOf(answers));
        }
        int last = answers.size() - 1;
        return countRefused(members.refusedBy(last, answers.get(last), permits));
    }

    /** Returns whether all members granted. If not, the last answer is the refusal, and the other permits have been given back. */
    private boolean takeFromAll(int permits, List<Lease> answers) {
        boolean all = false;
        try {
            for (Member member : members.all()) {
                Lease answer = member.limiter().tryAcquire(permits);
                answers.add(answer);
                if (!answer.isAcquired()) {
                    return false;
                }
            }
            all = true;
            return true;
        } finally {
            if (!all) {
                ChainLease.putBack(answers);
            }
        }
    }

    @Override
    public PermitRequest request(int permits, long maxWaitNanos, PermitListener listener) {
        Objects.requireNonNull(listener, "listener");
        if (maxWaitNanos == 0) {
            Delivery.tellAtOnce(null, listener, tryAcquire(permits));
            return SettledRequest.INSTANCE;
        }
        check(permits);
        PermitDrain drain = queueForUse().drain;
        Waiter waiter = drain.newWaiter(permits, maxWaitNanos, false, time().nanoTime(), listener);
        drain.enter(waiter);
        return waiter;
    }

    private ChainQueue queueForUse() {
        ChainQueue made = queue;
        if (made != null) {
            return made;
        }
        made = new ChainQueue(this, members);
        ChainQueue before = (ChainQueue) QUEUE.compareAndExchange(this, null, made);
        return before == null ? made : before;
    }

    private void check(int permits) {
        checkOpen();
        int capacity = members.capacity();
        if (permits < 0 || permits > capacity) {
            throw new IllegalArgumentException("permits must be between 0 and " + capacity + ", the capacity of "
                    + limit() + ", but is " + permits);
        }
    }

    boolean isClosed() {
        return closed;
    }

    // As the member of a chain

    @Override
    public TimeSource time() {
        return members.time();
    }

    @Override
    public boolean tellsTime() {
        return members.tellTime();
    }

    @Override
    public boolean isOurs() {
        return members.areOurs();
    }

    /** A chain with a closed member grants nothing: to a chain that asks it, it is closed, too. */
    @Override
    public void checkOpen() {
        checkNotClosed();
        members.checkOpen();
    }

    private void checkNotClosed() {
        if (closed) {
            throw new IllegalStateException("Rate limiter '" + name() + "' is closed");
        }
    }

    @Override
    public long nanosUntil(long ahead, int permits, long nowNanos) {
        long paused = pauseLeftAt(nowNanos);
        return Pause.andThen(paused, members.nanosUntil(ahead, permits, laterThanNow(nowNanos + paused)));
    }

    @Override
    public long nanosAtLeast(Ahead ahead, int permits, long nowNanos) {
        long paused = pauseLeftAt(nowNanos);
        return Pause.andThen(paused, members.nanosAtLeast(ahead, permits, laterThanNow(nowNanos + paused)));
    }

    @Override
    public long nanosUntilAsKnown(int permits, long nowNanos) {
        long paused = pauseLeftAt(nowNanos);
        return Pause.andThen(paused, members.nanosUntilAsKnown(permits, laterThanNow(nowNanos + paused)));
    }

    private long pauseLeftAt(long nanos) {
        ChainQueue waited = queue;
        return waited == null ? 0 : waited.drain.pause.nanosLeftAt(nanos);
    }

    private long laterThanNow(long nanos) {
        return Math.max(0, nanos - time().nanoTime());
    }

    @Override
    public long nanosUntilFirst(long nowNanos) {
        ChainQueue waited = queue;
        return waited == null ? 0 : waited.nanosUntilFirst(nowNanos);
    }

    @Override
    public boolean isGranting() {
        ChainQueue waited = queue;
        return waited != null && waited.isGranting();
    }

    @Override
    public @Nullable Lease takeForChain(ChainRequest chainRequest) {
        ChainQueue waited = queue;
        if (closed
                || isPaused()
                || (chainRequest.permits() > 0 && waited != null && waited.drain.areOthersBefore(chainRequest))) {
            return null;
        }
        List<Lease> leases = new ArrayList<>(members.all().size());
        return members.takeAllBut(Members.NONE, chainRequest, leases) == Members.NONE
                ? countGranted(chainRequest.permits(), List.copyOf(leases))
                : null;
    }

    @Override
    public void addEngines(List<PermitEngine> engines) {
        members.addEngines(engines);
    }

    @Override
    public void signal() {
        ChainQueue waited = queue;
        if (waited != null) {
            waited.drain.signal();
        }
    }

    // Answering

    Lease countGranted(int permits, List<Lease> leases) {
        tally.add(1, 0);
        return new ChainLease(permits, leases, tally);
    }

    Lease countRefused(RefusedLease refusal) {
        tally.add(0, 1);
        return refusal;
    }

    // Steering

    @Override
    public void charge(int permits) {
        checkNotClosed();
        Every.one(members.all(), member -> member.limiter().charge(permits));
    }

    @Override
    public void pauseFor(Duration duration) {
        long nanos = Settings.nanos(duration, "duration");
        checkNotClosed();
        if (nanos > 0) {
            PermitDrain drain = queueForUse().drain;
            drain.pause.extendTo(time().nanoTime() + nanos);
            drain.signal();
        }
    }

    @Override
    public void reconfigure(Limit limit) {
        Objects.requireNonNull(limit, "limit");
        checkNotClosed();
        throw new IllegalArgumentException("a chain has no limit of its own: reconfigure its members, not to " + limit);
    }

    @Override
    public void close() {
        closed = true;
        signal(); // a queue created later is checked by the thread that creates it
    }

    // Telling

    @Override
    public long availablePermits() {
        long least = members.availablePermits();
        return isPaused() ? Math.min(0, least) : least;
    }

    private boolean isPaused() {
        ChainQueue waited = queue;
        return waited != null && waited.drain.pause.isOn(time().nanoTime());
    }

    @Override
    public RateLimiterStatistics statistics() {
        ChainQueue waited = queue;
        return new RateLimiterStatistics(
                availablePermits(),
                waited == null ? 0 : waited.drain.waitingPermits(),
                tally.acquired(),
                tally.refused());
    }

    @Override
    public Optional<Duration> idleDuration() {
        ChainQueue waited = queue;
        boolean isAwaited = waited != null && waited.drain.isExpecting();
        return isAwaited || isPaused() ? Optional.empty() : members.idleDuration();
    }

    @Override
    public String toString() {
        return "RateLimiter[" + name() + "]";
    }
}
