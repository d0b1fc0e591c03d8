package dev.weir;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A request of a chain at one of its members. It holds a permit, or a place in the member's queue, or neither: when it came first
 * in the queue, another member had no permits.
 *
 * <pre>
 *   ASKED --member: answer--> lease       wakes the chain
 *     | |                       |
 *     | +--- member: move on ---|-----> MOVES_ON     wakes the chain, which asks the member that had none
 *     |                         |          |
 *     +--------- withdraw ------+----------+-----> WITHDRAWN    a lease found here, or arriving later, goes back
 * </pre>
 *
 * <p>While the member is still being asked, the chain is not woken, because the asking thread checks the result itself. So what
 * is decided on that thread need not be queued for delivery, as all other decisions of a drain are, and a chain completes all its
 * steps in one pass, even if its members are chains.
 */
final class MemberRequest implements PermitListener.Direct {

    private static final Object ASKED = new Object();
    private static final Object MOVES_ON = new Object();
    private static final Object WITHDRAWN = new Object();

    final int member;
    final ChainRequest chainRequest;

    private final Members members;
    private final boolean withTheRest;
    private final Runnable wake;
    private final AtomicReference<Object> state = new AtomicReference<>(ASKED);
    private @Nullable PermitRequest request;

    /** The thread that is asking the member: it checks the result afterwards and need not be woken. */
    private volatile @Nullable Thread asking = Thread.currentThread();

    /** Set before the member takes permits for it, cleared if it had none. */
    private volatile boolean mayHold;

    // Written inside the member's drain until that has answered, then inside that of the chain
    private @Nullable List<Lease> rest;
    private int lacking;

    private MemberRequest(Members members, int member, boolean withTheRest, ChainRequest chainRequest, Runnable wake) {
        this.members = members;
        this.member = member;
        this.withTheRest = withTheRest;
        this.chainRequest = chainRequest;
        this.wake = wake;
    }

    /**
     * Makes the request at a member.
     *
     * @param withTheRest whether its permits are useful only if the other members have theirs at that moment, too
     * @param maxWaitNanos how long it may wait there; {@link PermitEngine#UNBOUNDED} if it may be withdrawn only
     */
    static MemberRequest at(
            Members members,
            int member,
            boolean withTheRest,
            ChainRequest chainRequest,
            long maxWaitNanos,
            Runnable wake) {
        MemberRequest memberRequest = new MemberRequest(members, member, withTheRest, chainRequest, wake);
        try {
            memberRequest.request = memberRequest.ask(maxWaitNanos);
            memberRequest.asking = null;
        } catch (Throwable broken) {
            memberRequest.withdraw();
            throw broken;
        }
        return memberRequest;
    }

    /** Another clock may measure the wait differently: there the chain's own bound counts. */
    private PermitRequest ask(long maxWaitNanos) {
        long bound = keepsItsAge() ? maxWaitNanos : PermitEngine.UNBOUNDED;
        return members.all().get(member).request(chainRequest.permits(), bound, this);
    }

    // In the member's drain

    /** Returns whether the member uses the clock of the chain, so that the ages of its requests are comparable. */
    boolean keepsItsAge() {
        return members.all().get(member).keepsAgesBy(chainRequest.clock());
    }

    /** The member takes permits for it, those of all its own members if it is a chain; or it has found that there are none. */
    void mayHold(boolean takes) {
        mayHold = takes;
    }

    /**
     * The member has permits: takes those of all other members, too, if available. If one of them is not a limiter of this
     * library, that is left to the chain. Returns false if permits are missing.
     */
    boolean completes() {
        return !withTheRest || !members.areOurs() || takeTheRest();
    }

    /** Puts back the permits of the others, as those of the member were not granted after all. */
    void dropRest() {
        List<Lease> leases = rest;
        rest = null;
        if (leases != null) {
            ChainLease.putBack(leases);
        }
    }

    /** Delivers the answer if this is the asking thread, which then checks it, so nobody is woken. Returns whether it is. */
    boolean answerWhileAsked(Lease lease) {
        return isAskedHere() && state.compareAndSet(ASKED, lease);
    }

    /** As {@link #moveOn}, if this thread is asking, which then checks the result. */
    boolean moveOnWhileAsked() {
        return isAskedHere() && state.compareAndSet(ASKED, MOVES_ON);
    }

    /** Only for this thread is it certain that it will check the result after what is written now. */
    private boolean isAskedHere() {
        return asking == Thread.currentThread();
    }

    /** Another member has no permits, so the place in the queue is gone. Called without locks held. */
    void moveOn() {
        if (state.compareAndSet(ASKED, MOVES_ON)) {
            wake();
        }
    }

    @Override
    public void onLease(Lease lease) {
        if (state.compareAndSet(ASKED, lease)) {
            wake();
        } else {
            putBack(lease);
        }
    }

    private void wake() {
        if (asking == null) {
            wake.run();
        }
    }

    // In the drain of the chain

    boolean isAwaited() {
        return state.get() == ASKED;
    }

    /**
     * Returns whether permits may have been taken for it; to be asked after what the members have. A member that is a chain is granting
     * until it has set the mark. If it sets the mark between the first look at it and the look at the chain, only the second look at the
     * mark finds that.
     */
    boolean isBeingGranted() {
        return isTaken() || members.all().get(member).isGranting() || isTaken();
    }

    private boolean isTaken() {
        return mayHold || !isAwaited();
    }

    /** Returns the answer of the member, or null if there is none. */
    @Nullable
    Lease answer() {
        return state.get() instanceof Lease lease ? lease : null;
    }

    /** Returns whether the permits of all other members are held now as well. */
    boolean takeTheRest() {
        if (rest == null) {
            List<Lease> leases = new ArrayList<>(members.all().size());
            lacking = members.takeAllBut(member, chainRequest, leases);
            rest = lacking == Members.NONE ? leases : null;
        }
        return rest != null;
    }

    /** Returns the member that had no permits. */
    int lacking() {
        return lacking;
    }

    /** Returns the leases of all members, in their order, once all are held. */
    List<Lease> leases() {
        List<Lease> leases = new ArrayList<>(Objects.requireNonNull(rest, "rest"));
        leases.add(member, Objects.requireNonNull(answer(), "answer"));
        return List.copyOf(leases);
    }

    void withdraw() {
        Object left = state.getAndSet(WITHDRAWN);
        if (left instanceof Lease lease) {
            putBack(lease);
        } else if (request != null) {
            request.cancel();
        }
    }

    private void putBack(Lease lease) {
        try {
            ChainLease.putBack(lease);
        } finally {
            dropRest();
        }
    }
}
