package dev.weir.redis;

import dev.weir.limit.PermitPolicy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a node has and knows of one limit, and what it is about to tell the store. A value: each change is made to a copy before that
 * is published.
 *
 * <pre>
 *                      no permits in hand                         answered: permits in hand, or booked, or how long to wait
 *   nothing under way -------------------> a trip is under way ------------------------------------------> nothing under way
 *                                             |                       (again at once, if there is more to tell by then)
 *                                             +--- failed, or too late ---> out: this node decides on its own, until a trip succeeds
 * </pre>
 */
final class FleetState {

    private static final int MOST_PAST = 8;

    /** What is in hand and what is booked, in the order in which it may be used. */
    private List<Held> held = List.of();

    /** What the store is to be told. */
    private List<Slot> undone = List.of();

    private long charge;
    private long heldPermits;
    private long heldCalls;
    private boolean renewal;

    Knowledge known;

    /** The one trip under way. */
    @Nullable
    Trip trip;

    @Nullable
    Outage out;

    private List<Outage.Past> past = List.of();

    FleetState(long nowNanos) {
        this.known = Knowledge.none(nowNanos);
    }

    private FleetState(FleetState like) {
        this.held = like.held;
        this.undone = like.undone;
        this.charge = like.charge;
        this.heldPermits = like.heldPermits;
        this.heldCalls = like.heldCalls;
        this.renewal = like.renewal;
        this.known = like.known;
        this.trip = like.trip;
        this.out = like.out;
        this.past = like.past;
    }

    FleetState copy() {
        return new FleetState(this);
    }

    // What there is

    boolean isOut(long nowNanos) {
        if (out != null && out.covers(nowNanos)) {
            return true;
        }
        for (Outage.Past outage : past) {
            if (outage.covers(nowNanos)) {
                return true;
            }
        }
        return false;
    }

    boolean isHoldingAny(long nowNanos) {
        return trip != null
                || charge > 0
                || !undone.isEmpty()
                || held.stream().anyMatch(here -> !here.isStale(nowNanos));
    }

    long ripe(long nowNanos) {
        long permits = 0;
        for (Held here : held) {
            permits += here.isRipe(nowNanos) && !here.isStale(nowNanos) ? here.permits() : 0;
        }
        return permits;
    }

    long heldPermits() {
        return heldPermits;
    }

    /** Tells whether so much has just come in hand, or the store is being asked for permits: what it said before counts no more. */
    boolean isAboutToKnow(long permits) {
        Trip underWay = trip;
        if (underWay != null && underWay.question.one() > 0) {
            return true;
        }
        long inHand = 0;
        for (Held here : held) {
            inHand += here.booked() ? 0 : here.permits();
        }
        return inHand >= permits;
    }

    /** How many permits are in hand or booked. */
    long inHand() {
        long permits = 0;
        for (Held here : held) {
            permits += here.permits();
        }
        return permits;
    }

    boolean hasInHand() {
        return !held.isEmpty();
    }

    boolean hasStale(long nowNanos) {
        for (Held here : held) {
            if (here.isStale(nowNanos)) {
                return true;
            }
        }
        return false;
    }

    boolean hasToTell() {
        return renewal || charge > 0 || !undone.isEmpty();
    }

    // Taking

    /** Takes ripe permits, which must be there. Returns when the store recorded the last of them. */
    long takeRipe(int permits, long nowNanos) {
        List<Held> left = new ArrayList<>(held.size());
        int missing = permits;
        long storeNanos = 0;
        for (Held here : held) {
            int taken = here.isRipe(nowNanos) && !here.isStale(nowNanos) ? Math.min(missing, here.permits()) : 0;
            missing -= taken;
            storeNanos = taken > 0 ? here.storeNanos() : storeNanos;
            if (taken < here.permits()) {
                left.add(taken == 0 ? here : here.less(taken));
            }
        }
        held = left;
        return storeNanos;
    }

    /** Returns how long until the first request has its booking, or -1 if it has none of its size. */
    long untilBooking(int permits, long nowNanos) {
        for (Held here : held) {
            if (!here.isRipe(nowNanos)) {
                return here.one() == permits && ripe(nowNanos) == 0 ? here.readyNanos() - nowNanos : -1;
            }
        }
        return -1;
    }

    // Giving back

    /** Gives back what was kept for too long. */
    void undoStale(long nowNanos) {
        if (hasStale(nowNanos)) {
            List.copyOf(held).stream().filter(here -> here.isStale(nowNanos)).forEach(this::undo);
        }
    }

    /** Gives back the latest of what is booked beyond what those who wait ask for. */
    void undoBeyond(long waiting) {
        long all = inHand();
        for (int i = held.size() - 1; i >= 0 && all > waiting && held.get(i).booked(); i--) {
            all -= held.get(i).permits();
            undo(held.get(i));
        }
    }

    /** Gives back what is booked. Tells whether there was any. */
    boolean undoBooked() {
        return undoIf(true);
    }

    void undoAll() {
        undoIf(false);
    }

    private boolean undoIf(boolean onlyBooked) {
        boolean any = false;
        for (Held here : List.copyOf(held)) {
            if (here.booked() || !onlyBooked) {
                undo(here);
                any = true;
            }
        }
        return any;
    }

    private void undo(Held here) {
        List<Held> left = new ArrayList<>(held);
        left.remove(here);
        held = left;
        undo(here.slot(), here.permits() / Math.max(1, here.one()));
    }

    void undo(Slot slot, long calls) {
        List<Slot> more = new ArrayList<>(undone);
        more.add(slot);
        undone = more;
        heldPermits = Math.max(0, heldPermits - slot.permits());
        heldCalls = Math.max(0, heldCalls - calls);
        known = known.changed();
    }

    void release(int permits, long calls) {
        heldPermits = Math.max(0, heldPermits - permits);
        heldCalls = Math.max(0, heldCalls - calls);
        renewal = true;
        known = known.changed();
    }

    void charge(long permits) {
        charge = Math.min(Integer.MAX_VALUE, charge + permits);
        known = known.changed();
    }

    void renew() {
        renewal = true;
    }

    /** Knows nothing of what the store has said, which was of another limit. */
    void forget(long nowNanos) {
        known = Knowledge.none(nowNanos);
    }

    /** Gives back everything, used or not. */
    void leave() {
        undoAll();
        heldPermits = 0;
        heldCalls = 0;
        renewal = true;
    }

    // Asking

    /** Makes the question that tells and asks for everything there is to; with the next change there is nothing of it left. */
    Question ask(int one, long most, long waiting, long longestWaitNanos, long aheadNanos) {
        List<Slot> booked = new ArrayList<>();
        for (Held here : held) {
            if (here.booked()) {
                booked.add(here.slot());
            }
        }
        Question question = new Question(
                one, most, waiting, longestWaitNanos, aheadNanos, charge, undone, booked, heldPermits, heldCalls);
        undone = List.of();
        charge = 0;
        renewal = false;
        return question;
    }

    /** Makes the question that only tells, and hears how things are. */
    Question askNothing() {
        return ask(0, 0, 0, 0, 0);
    }

    /** Takes note of an answer, late in the sense of a duration: nothing is ever used too early. */
    void answered(Question question, Answer answer, Manners manners, long nowNanos, long slackNanos) {
        trip = null;
        known = known.with(answer, question, nowNanos);
        List<Held> more = new ArrayList<>(held);
        int one = Math.max(1, question.one());
        int granted = (int) answer.granted();
        int leased = (int) Math.min(granted, Math.max(0, manners.leaseAhead() - ripe(nowNanos))) / one * one;
        hold(more, firstUnripe(nowNanos), leased, one, answer, nowNanos, manners.leaseNanos());
        hold(more, 0, granted - leased, one, answer, nowNanos, manners.lifeNanos());
        long gained = granted;
        for (Answer.Booking booking : answer.bookings()) {
            long ready = nowNanos + booking.inNanos();
            long storeNanos = answer.nowNanos() + booking.inNanos();
            more.add(new Held(booking.permits(), one, true, storeNanos, ready, ready + slackNanos));
            gained += booking.permits();
        }
        held = more;
        heldPermits += gained;
        heldCalls += gained / one;
    }

    /** What is kept for a shorter time is used first. */
    private static void hold(
            List<Held> all, int place, int permits, int one, Answer answer, long nowNanos, long lifeNanos) {
        if (permits > 0) {
            all.add(place, new Held(permits, one, false, answer.nowNanos(), nowNanos, nowNanos + lifeNanos));
        }
    }

    /** Takes note that the store is back. Goes by it again when all nodes have had the time to tell what they admitted alone. */
    void back(Outage before, long nowNanos, long settleNanos) {
        Outage settling = before.answered(nowNanos);
        if (nowNanos - settling.backNanos() < settleNanos) {
            out = settling;
        } else {
            past = withPast(new Outage.Past(before.sinceNanos(), nowNanos));
            out = null;
        }
    }

    private int firstUnripe(long nowNanos) {
        int index = 0;
        while (index < held.size() && held.get(index).isRipe(nowNanos)) {
            index++;
        }
        return index;
    }

    private List<Outage.Past> withPast(Outage.Past latest) {
        List<Outage.Past> all = new ArrayList<>(past);
        all.add(latest);
        return List.copyOf(all.subList(Math.max(0, all.size() - MOST_PAST), all.size()));
    }

    /** Goes on without the store. What was booked counts as spent; what is in hand may be used when the store is back. */
    void failed(Throwable cause, long nowNanos, long retryNanos) {
        trip = null;
        List<Held> inHand = new ArrayList<>(held);
        inHand.removeIf(Held::booked);
        held = inHand;
        known = known.changed();
        out = new Outage(out == null ? nowNanos : out.sinceNanos(), retryNanos, cause);
    }

    /** Answers for a request that finds nothing in hand: how long it is known to have to wait, or zero if it is worth asking. */
    long denied(int permits, boolean isFirst, long nowNanos, long pollNanos) {
        if (hasToTell() || (isFirst && !known.isDeniedWithoutEnd())) {
            return 0;
        }
        long wait = known.deniedFor(permits, nowNanos, pollNanos);
        return wait > 0 && !isFirst && known.isDeniedWithoutEnd() ? PermitPolicy.AWAIT_SIGNAL : wait;
    }
}
