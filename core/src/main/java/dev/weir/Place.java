package dev.weir;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A request that a chain has made at one of its members: a permit in hand, a place in the member's queue, or neither, as another
 * member had none when it came to the first of the queue.
 *
 * <pre>
 *   ASKED --member: answer--> lease       wakes the chain
 *     | |                       |
 *     | +--- member: move on ---|-----> MOVES_ON     wakes the chain, which asks the member that had none
 *     |                         |          |
 *     +--------- withdraw ------+----------+-----> WITHDRAWN    a lease found here, or arriving later, goes back
 * </pre>
 *
 * <p>Who is still being asked wakes nobody: who asks looks at once. So what is decided on its own thread does not have to wait for its
 * turn to be told, as all else does that a drain decides, and a chain gets to the end of its way in one pass, also where its
 * members are chains.
 */
final class Place implements PermitListener.Direct {

    private static final Object ASKED = new Object();
    private static final Object MOVES_ON = new Object();
    private static final Object WITHDRAWN = new Object();

    final int member;
    final Asked asked;

    private final Members members;
    private final boolean withTheRest;
    private final Runnable wake;
    private final AtomicReference<Object> state = new AtomicReference<>(ASKED);
    private @Nullable PermitRequest request;

    /** Who is just asking the member: it looks at what has become of it when it has asked, and need not be woken. */
    private volatile @Nullable Thread asking = Thread.currentThread();

    // Written inside the member's drain until that has answered, then inside that of the chain
    private @Nullable List<Lease> rest;
    private int lacking;

    private Place(Members members, int member, boolean withTheRest, Asked asked, Runnable wake) {
        this.members = members;
        this.member = member;
        this.withTheRest = withTheRest;
        this.asked = asked;
        this.wake = wake;
    }

    /**
     * Asks a member.
     *
     * @param withTheRest whether its permits are of use only if the others, too, have theirs at that moment
     */
    static Place at(Members members, int member, boolean withTheRest, Asked asked, Runnable wake) {
        Place place = new Place(members, member, withTheRest, asked, wake);
        try {
            place.request = members.all().get(member).acquire(asked.permits(), place);
            place.asking = null;
        } catch (RuntimeException | Error broken) {
            place.withdraw();
            throw broken;
        }
        return place;
    }

    // In the member's drain

    /** Tells whether the member goes by the clock of the chain, so that what was asked there can be compared with this. */
    boolean keepsItsAge() {
        return members.all().get(member) instanceof Member ours && ours.time() == asked.clock();
    }

    /**
     * The member has permits: takes those of all others, too, if they are there. Where one of them is not ours, that is left to the
     * chain.
     */
    boolean completes() {
        return !withTheRest || !members.areOurs() || takeTheRest();
    }

    /** The member's permits were not granted after all, and so neither is the rest. */
    void dropRest() {
        List<Lease> leases = rest;
        rest = null;
        if (leases != null) {
            Every.one(leases, Lease::giveBack);
        }
    }

    /** Gives the answer to who is just asking on this thread, and then looks: nobody is woken. Tells whether that was so. */
    boolean answerWhileAsked(Lease lease) {
        return isAskedHere() && state.compareAndSet(ASKED, lease);
    }

    /** As {@link #moveOn}, if this thread is just asking, which then looks. */
    void moveOnWhileAsked() {
        if (isAskedHere()) {
            state.compareAndSet(ASKED, MOVES_ON);
        }
    }

    /** Of another thread nobody can tell whether it has looked before it finds what is written now. */
    private boolean isAskedHere() {
        return asking == Thread.currentThread();
    }

    /** Another member has no permits: the place in the queue is gone. With nothing held. */
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
            giveBack(lease);
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

    /** Returns the answer of the member, or null if there is none. */
    @Nullable
    Lease answer() {
        return state.get() instanceof Lease lease ? lease : null;
    }

    /** Tells whether the permits of all other members are in hand now as well. */
    boolean takeTheRest() {
        if (rest == null) {
            List<Lease> leases = new ArrayList<>(members.all().size());
            lacking = members.takeAllBut(member, asked, leases);
            rest = lacking == ChainLease.ITSELF ? leases : null;
        }
        return rest != null;
    }

    /** Returns the member that had no permits. */
    int lacking() {
        return lacking;
    }

    /** Returns the leases of all members, in their order, once they are in hand. */
    List<Lease> leases() {
        List<Lease> leases = new ArrayList<>(Objects.requireNonNull(rest, "rest"));
        leases.add(member, Objects.requireNonNull(answer(), "answer"));
        return List.copyOf(leases);
    }

    void withdraw() {
        Object left = state.getAndSet(WITHDRAWN);
        if (left instanceof Lease lease) {
            giveBack(lease);
        } else if (request != null) {
            request.cancel();
        }
    }

    private void giveBack(Lease lease) {
        try {
            lease.giveBack();
        } finally {
            dropRest();
        }
    }
}
