package dev.weir;

import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Several limiters as one: a request passes when each of them grants it, and otherwise leaves none of them poorer. */
final class Chain implements RateLimiter, Member {

    /*
     * The chain has a queue of its own and asks its members for the head of it alone: one of them for a permit, or for a place in
     * its queue. When that one has a permit, all others are asked for theirs. If all have, the head goes. If not, what was taken
     * goes back, and the place is from then on in the queue of the one that has none. So nothing is held while waiting for something
     * else, and what passed found permits at every member at the moment when it passed. And as only the head stands in a
     * member's queue, each permit that comes is looked at once, however many wait. So it is for those who only probe, beside it:
     * each of the two keeps its own place, as what one of them finds says nothing about the other.
     *
     * Chains with members in common. Were a permit in hand until the chain has asked the others, two chains could find the permits of
     * one another gone and give back their own, for ever. So who is first in the queue of a member takes its permit and asks the
     * others in one pass of that member's drain, and what was taken in vain is back before anybody else is looked at. And were
     * each to make way for those who wait at the others, they would make way for one another: those may wait for want of what this
     * one has. So it makes way only for who asked before, and what was asked keeps its age wherever it waits (Asked): the oldest makes
     * way for nobody, and goes as soon as its members have permits.
     */

    private static final VarHandle QUEUE;

    static {
        try {
            QUEUE = MethodHandles.lookup().findVarHandle(Chain.class, "queue", ChainQueue.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Members members;
    private final Tally tally = new Tally();

    /** Made when somebody first waits: a chain may have been made for one request. */
    private volatile @Nullable ChainQueue queue;

    /** Made anew when the limit of a member has changed; streams ask for it with each element that has a cost. */
    private volatile @Nullable JointLimit limit;

    private volatile boolean closed;

    Chain(List<RateLimiter> members) {
        this.members = new Members(members);
    }

    List<RateLimiter> members() {
        return members.all();
    }

    boolean isOfOurs() {
        return members.areOurs();
    }

    @Override
    public String name() {
        return members.all().stream().map(RateLimiter::name).collect(Collectors.joining(", ", "chain(", ")"));
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
            boolean isPaused = waited.drain.pause.nanosLeft(now) > 0;
            if (isPaused || (permits > 0 && waited.drain.waitingPermits() > 0)) {
                RefusalReason reason = isPaused ? RefusalReason.PAUSED : RefusalReason.EXHAUSTED;
                return waited.countRefused(permits, reason, null, waited.nanosUntilRetry(permits, now), now);
            }
        }
        List<Lease> answers = new ArrayList<>(members.all().size());
        if (takeFromAll(permits, answers)) {
            return countGranted(permits, List.copyOf(answers));
        }
        int last = answers.size() - 1;
        return countRefused(permits, members.refusedBy(last, answers.get(last)));
    }

    /** Tells whether all have granted; if not, the last answer is the refusal, and what the others granted has gone back. */
    private boolean takeFromAll(int permits, List<Lease> answers) {
        boolean all = false;
        try {
            for (RateLimiter member : members.all()) {
                Lease answer = member.tryAcquire(permits);
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
    public CompletableFuture<Lease> acquire(int permits) {
        return LeaseFuture.request(this, permits);
    }

    @Override
    public PermitRequest acquire(int permits, PermitListener listener) {
        return request(permits, PermitEngine.UNBOUNDED, listener);
    }

    @Override
    public PermitRequest acquire(int permits, Duration maxWait, PermitListener listener) {
        return request(permits, Settings.nanos(maxWait, "maxWait"), listener);
    }

    private PermitRequest request(int permits, long maxWaitNanos, PermitListener listener) {
        Objects.requireNonNull(listener, "listener");
        if (maxWaitNanos == 0) {
            Answers.tellAtOnce(null, listener, tryAcquire(permits));
            return SettledRequest.INSTANCE;
        }
        check(permits);
        PermitDrain drain = queueForUse().drain;
        Waiter waiter = drain.expect(permits, maxWaitNanos, time().nanoTime(), listener);
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
        members.checkOpen();
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
    public void checkOpen() {
        if (closed) {
            throw new IllegalStateException("Rate limiter '" + name() + "' is closed");
        }
    }

    @Override
    public long nanosUntil(long ahead, int permits, long nowNanos) {
        ChainQueue waited = queue;
        long paused = waited == null ? 0 : waited.drain.pause.nanosLeftAt(nowNanos);
        long later = Math.max(0, nowNanos + paused - time().nanoTime());
        return Pause.andThen(paused, members.nanosUntil(ahead, permits, later));
    }

    @Override
    public @Nullable Lease takeForChain(Asked asked) {
        ChainQueue waited = queue;
        if (closed || isPaused() || (asked.permits() > 0 && waited != null && waited.drain.areOthersBefore(asked))) {
            return null;
        }
        List<Lease> leases = new ArrayList<>(members.all().size());
        return members.takeAllBut(ChainLease.ITSELF, asked, leases) == ChainLease.ITSELF
                ? countGranted(asked.permits(), List.copyOf(leases))
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
        return new ChainLease(permits, null, leases, tally);
    }

    Lease countRefused(int permits, ChainLease.Refusal refusal) {
        tally.add(0, 1);
        return new ChainLease(permits, refusal, List.of(), tally);
    }

    // Steering

    @Override
    public void charge(int permits) {
        checkOpen();
        Every.one(members.all(), member -> member.charge(permits));
    }

    @Override
    public void pauseFor(Duration duration) {
        long nanos = Settings.nanos(duration, "duration");
        checkOpen();
        if (nanos > 0) {
            PermitDrain drain = queueForUse().drain;
            drain.pause.extendTo(time().nanoTime() + nanos);
            drain.signal();
        }
    }

    @Override
    public void reconfigure(Limit limit) {
        Objects.requireNonNull(limit, "limit");
        throw new IllegalArgumentException("a chain has no limit of its own: reconfigure its members, not to " + limit);
    }

    @Override
    public void close() {
        closed = true;
        signal(); // a queue that is made later is looked at by whoever makes it
    }

    // Telling

    @Override
    public long availablePermits() {
        long least = members.availablePermits();
        return isPaused() ? Math.min(0, least) : least;
    }

    private boolean isPaused() {
        ChainQueue waited = queue;
        return waited != null && waited.drain.pause.nanosLeft(time().nanoTime()) > 0;
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
