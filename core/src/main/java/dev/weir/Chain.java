package dev.weir;

import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Several limiters as one: a request passes when each of them grants it, and otherwise leaves none of them poorer. */
final class Chain implements RateLimiter, PermitSource {

    /*
     * The chain has a queue of its own and asks its members for the head of it alone. All members are asked; if all grant at
     * once, the head goes. If one of them makes it wait, what the others granted goes back, and only the place in that one
     * member's queue is kept. When the permit comes there, the others are asked again; if another one now makes it wait, the
     * permit goes back too and the place is in the queue of that one. So nothing is held while waiting for something else:
     * two chains over the same members cannot wait for each other, and what passes found permits at every member at the
     * moment when it passed. And as only the head stands in a member's queue, each permit that comes is looked at once,
     * however many wait. So it is for those who only probe, beside it: each of the two keeps its own place, as what one of
     * them finds says nothing about the other.
     */

    private final Members members;
    private final PermitDrain drain;
    private final Tally tally = new Tally();
    private volatile Terms terms;

    // Owned by the drain: on one's way for the head of the queue, and for the first of those who only probe
    private final Errand forHead;
    private final Errand forProbes;

    Chain(List<RateLimiter> members) {
        this.members = new Members(members);
        Settings settings = new Settings();
        settings.name(members.stream().map(RateLimiter::name).collect(Collectors.joining(", ", "chain(", ")")));
        settings.timeSource(this.members.time());
        this.terms = Terms.alone(settings, this.members.limit());
        this.drain = new PermitDrain(this);
        this.forHead = new Errand(this.members, drain::signal);
        this.forProbes = new Errand(this.members, drain::signal);
    }

    List<RateLimiter> members() {
        return members.all();
    }

    @Override
    public String name() {
        return terms.name;
    }

    @Override
    public Limit limit() {
        return members.limit();
    }

    // Asking

    @Override
    public Lease tryAcquire(int permits) {
        check(permits);
        long now = terms.time.nanoTime();
        boolean isPaused = drain.pause.nanosLeft(now) > 0;
        if (isPaused || (permits > 0 && drain.waitingPermits() > 0)) {
            RefusalReason reason = isPaused ? RefusalReason.PAUSED : RefusalReason.EXHAUSTED;
            return countRefused(permits, reason, null, nanosUntilRetry(permits, now));
        }
        List<Lease> answers = new ArrayList<>(members.all().size());
        if (takeFromAll(permits, answers)) {
            return countGranted(permits, List.copyOf(answers));
        }
        int last = answers.size() - 1;
        return countRefused(permits, members.refusedBy(members.all().get(last), answers.get(last)));
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
                answers.forEach(Lease::giveBack);
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
            Answers.tell(listener, tryAcquire(permits));
            return SettledRequest.INSTANCE;
        }
        check(permits);
        Waiter waiter = drain.expect(permits, maxWaitNanos, terms.time.nanoTime(), listener);
        drain.enter(waiter);
        return waiter;
    }

    private void check(int permits) {
        terms.checkOpen();
        members.checkOpen();
        int capacity = capacity();
        if (permits < 0 || permits > capacity) {
            throw new IllegalArgumentException("permits must be between 0 and " + capacity + ", the capacity of "
                    + limit() + ", but is " + permits);
        }
    }

    // For the drain

    @Override
    public Terms terms() {
        return terms;
    }

    @Override
    public int capacity() {
        return members.capacity();
    }

    @Override
    public long tryTake(int permits, long waiting, long nowNanos) {
        return errandFor(permits).tryTake(permits);
    }

    private Errand errandFor(int permits) {
        return permits == 0 ? forProbes : forHead;
    }

    @Override
    public void untake(int permits, long nowNanos) {
        errandFor(permits).taken().forEach(Lease::giveBack);
    }

    @Override
    public Lease countGranted(int permits, long nowNanos) {
        return countGranted(permits, errandFor(permits).taken());
    }

    @Override
    public Lease refusal(int permits) {
        return countRefused(permits, errandFor(permits).refusal());
    }

    @Override
    public void standBackForHead() {
        forHead.standBack();
    }

    @Override
    public void standBackForProbes() {
        forProbes.standBack();
    }

    @Override
    public long nanosUntil(long ahead, int permits, long nowNanos) {
        return members.nanosUntil(ahead, permits, Math.max(0, nowNanos - terms.time.nanoTime()));
    }

    @Override
    public long nanosUntilRetry(int permits, long nowNanos) {
        long wait = Math.max(drain.pause.nanosLeft(nowNanos), nanosUntil(0, Math.max(1, permits), nowNanos));
        return wait > 0 ? wait : Math.max(1, drain.nanosUntilDue(nowNanos));
    }

    // Answering

    private Lease countGranted(int permits, List<Lease> leases) {
        tally.add(1, 0);
        return new ChainLease(permits, null, leases, tally);
    }

    @Override
    public Lease countRefused(int permits, RefusalReason reason, @Nullable Throwable cause, long retryNanos) {
        return countRefused(permits, new ChainLease.Refusal(reason, name(), cause, retryNanos, DecisionSource.LOCAL));
    }

    private Lease countRefused(int permits, ChainLease.Refusal refusal) {
        tally.add(0, 1);
        return new ChainLease(permits, refusal, List.of(), tally);
    }

    // Steering

    @Override
    public void charge(int permits) {
        terms.checkOpen();
        members.all().forEach(member -> member.charge(permits));
    }

    @Override
    public void pauseFor(Duration duration) {
        long nanos = Settings.nanos(duration, "duration");
        terms.checkOpen();
        if (nanos > 0) {
            drain.pause.extendTo(terms.time.nanoTime() + nanos);
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
        terms = terms.closed();
        drain.signal();
    }

    // Telling

    @Override
    public long availablePermits() {
        long least = members.availablePermits();
        return drain.pause.nanosLeft(terms.time.nanoTime()) > 0 ? Math.min(0, least) : least;
    }

    @Override
    public RateLimiterStatistics statistics() {
        return new RateLimiterStatistics(availablePermits(), drain.waitingPermits(), tally.acquired(), tally.refused());
    }

    @Override
    public Optional<Duration> idleDuration() {
        if (drain.isExpecting() || drain.pause.nanosLeft(terms.time.nanoTime()) > 0) {
            return Optional.empty();
        }
        return members.idleDuration();
    }

    @Override
    public String toString() {
        return "RateLimiter[" + name() + "]";
    }
}
