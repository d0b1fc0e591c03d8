package dev.weir;

import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import org.jspecify.annotations.Nullable;

/** The waiting requests of a {@link Chain} and the source of their permits. Created when a request first waits, or for a pause. */
final class ChainQueue implements PermitSource {

    final PermitDrain drain;

    private final Chain chain;
    private final Members members;
    private final Terms terms;

    // Used inside the drain: one for the head of the queue, one for the first request that only probes
    private final Acquisition forHead;
    private final Acquisition forProbes;

    /** The situation in which the members were last made to look again. */
    private volatile @Nullable Look lastLook;

    /** The time of a request is up while these requests wait at members. */
    private record Look(
            Waiter overdue,
            @Nullable MemberRequest ofHead,
            @Nullable MemberRequest ofProbes) {

        boolean isAtNoMember() {
            return ofHead == null && ofProbes == null;
        }
    }

    ChainQueue(Chain chain, Members members) {
        Settings settings = new Settings();
        settings.name(chain.name());
        settings.timeSource(chain.time());
        this.terms = Terms.alone(settings, Limit.unlimited()); // the limits are those of the members
        this.chain = chain;
        this.members = members;
        this.drain = new PermitDrain(this);
        this.forHead = new Acquisition(members, drain::signal);
        this.forProbes = new Acquisition(members, drain::signal);
    }

    @Override
    public Terms terms() {
        return chain.isClosed() ? terms.closed() : terms;
    }

    @Override
    public int capacity() {
        return members.capacity();
    }

    @Override
    public long tryTake(Waiter waiter, long waiting, long nowNanos) {
        return acquisitionFor(waiter.permits).tryTake(waiter, nowNanos);
    }

    private Acquisition acquisitionFor(int permits) {
        return permits == 0 ? forProbes : forHead;
    }

    @Override
    public void untake(int permits, long nowNanos) {
        ChainLease.putBack(acquisitionFor(permits).taken());
    }

    @Override
    public Lease countGranted(int permits, long nowNanos) {
        return chain.countGranted(permits, acquisitionFor(permits).taken());
    }

    Lease countRefused(int permits, RefusalReason reason, @Nullable Throwable cause, long retryNanos) {
        int member = reason == RefusalReason.EXHAUSTED ? members.firstSmallerThan(permits) : Members.NONE;
        return countRefused(member, permits, reason, cause, retryNanos);
    }

    @Override
    public Lease countRefused(
            Waiter waiter, RefusalReason reason, @Nullable Throwable cause, long retryNanos, long nowNanos) {
        if (reason != RefusalReason.MAX_WAIT) {
            return countRefused(waiter.permits, reason, cause, retryNanos);
        }
        int member = tooSlowFor(waiter, nowNanos);
        boolean mayKnow = retryNanos == PermitEngine.UNBOUNDED && member != Members.NONE;
        long retry = mayKnow ? nanosUntilRetryAt(member, waiter.permits, nowNanos) : retryNanos;
        return countRefused(member, waiter.permits, reason, cause, retry);
    }

    /** The members do not know of a pause of the chain. */
    private long nanosUntilRetryAt(int member, int permits, long nowNanos) {
        return Math.max(members.nanosUntilRetryAt(member, permits), drain.pause.nanosLeft(nowNanos));
    }

    private Lease countRefused(
            int member, int permits, RefusalReason reason, @Nullable Throwable cause, long retryNanos) {
        String by = nameOf(member);
        return chain.countRefused(
                new RefusedLease(permits, reason, by, member, cause, retryNanos, DecisionSource.LOCAL));
    }

    private String nameOf(int member) {
        try {
            return member == Members.NONE ? terms.name : members.name(member);
        } catch (Throwable broken) {
            return terms.name; // the refusal must be delivered all the same
        }
    }

    /**
     * A request whose time is up has waited, itself or behind others, for the member that makes the first one wait. One that is
     * refused before would have to wait too long at the member that is known to take longest, or for a pause of the chain.
     */
    private int tooSlowFor(Waiter waiter, long nowNanos) {
        int waitedAt = acquisitionFor(waiter.permits).waitsAt();
        long left = waiter.nanosLeft(nowNanos);
        if (left <= 0) {
            return waitedAt;
        }
        int usual = drain.pause.nanosLeft(nowNanos) > left ? Members.NONE : waitedAt;
        boolean isFirst = waiter.permits == 0 || waiter.linked; // one that is in the queue already
        Ahead ahead = isFirst ? Ahead.NOTHING : drain.aheadOf(waiter);
        return members.tooSlow(usual, left, ahead, waiter.permits);
    }

    @Override
    public Lease refusal(int permits) {
        return chain.countRefused(acquisitionFor(permits).refusal());
    }

    /**
     * The members' timers may be due at the same time as the chain's and fire after it. So this signals the members first, and
     * their answers are delivered before a request is refused here for lack of one. If the request then waits at another member,
     * that one is signalled as well.
     */
    @Override
    public boolean looksOnceMore(Waiter overdue, Answers answers) {
        Look look = new Look(overdue, forHead.memberRequest(), forProbes.memberRequest());
        if (look.isAtNoMember() || look.equals(lastLook)) {
            return false;
        }
        try {
            forHead.signalMember();
            forProbes.signalMember();
        } catch (Throwable broken) {
            return false; // the member's own timer will report that
        }
        answers.addStep(() -> {
            lastLook = look;
            drain.signal();
        });
        return true;
    }

    @Override
    public void cancelReservations(boolean ofHead, boolean ofProbes) {
        try {
            if (ofHead) {
                forHead.withdraw();
            }
        } finally {
            if (ofProbes) {
                forProbes.withdraw();
            }
        }
    }

    /** Judged here, it might be refused for what a member has just granted to this very request. */
    @Override
    public boolean isJudgedWhereItWaits(Waiter waiter) {
        return acquisitionFor(waiter.permits).isJudgedWhereItWaits(waiter);
    }

    /**
     * While members grant to the first request, they count its permits as used already. So the wait that they tell counts that
     * request twice, if it is ahead, or makes it wait for itself, if it is the one that is judged: nothing is known then. Whether
     * they grant is asked last, as they may begin while they are asked for the wait.
     */
    @Override
    public long nanosAtLeast(Ahead ahead, int permits, long nowNanos) {
        long wait = chain.nanosAtLeast(ahead, permits, nowNanos);
        return isGranting() ? 0 : wait;
    }

    boolean isGranting() {
        return forHead.isBeingGranted();
    }

    @Override
    public long nanosUntilRetry(int permits, long nowNanos) {
        if (permits > members.capacity()) {
            return PermitEngine.UNBOUNDED;
        }
        long wait = nanosUntilPermits(permits, nowNanos);
        return wait > 0 ? wait : Math.max(1, nanosUntilFirst(nowNanos));
    }

    private long nanosUntilPermits(int permits, long nowNanos) {
        int least = Math.max(1, permits);
        long known = chain.nanosUntilAsKnown(least, nowNanos);
        long wait = known > 0 ? known : chain.nanosUntil(0, least, nowNanos);
        return Math.max(wait, members.nanosUntilAllHave(permits));
    }

    /** As {@link BuiltInLimiter#nanosUntilFirst}. If there are permits for the first one, it waits behind others at a member. */
    long nanosUntilFirst(long nowNanos) {
        int permits = drain.permitsOfFirst();
        if (permits == 0) {
            return 0;
        }
        long wait = nanosUntilPermits(permits, nowNanos);
        return wait > 0 ? wait : members.nanosUntilFirst(forHead.waitsAt());
    }
}
