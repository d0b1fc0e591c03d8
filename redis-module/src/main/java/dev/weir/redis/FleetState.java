package dev.weir.redis;

import dev.weir.limit.PermitPolicy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of one limit on a node: permits in hand, the latest answer, and the updates pending for the store. Effectively
 * immutable, but for permits taken of the hand: every other change is made to a successor before that is published.
 *
 * <pre>
 *                      no permits in hand                         answered: permits in hand, or booked, or how long to wait
 *   no trip in flight -------------------> a trip is in flight ------------------------------------------> no trip in flight
 *                                             |                       (again at once, if more updates are pending)
 *                                             +--- failed, or too late ---> out: this node decides on its own, until a trip succeeds
 * </pre>
 */
final class FleetState {

    private Hand hand = Hand.EMPTY;

    /** The grant of the latest permits taken with a state change, rather than of the hand alone: of several, the first recorded. */
    private @Nullable Grant latest;

    private PendingUpdates pending = PendingUpdates.NONE;

    /** Told with every question. A change alone has none sent: most are the store's own doing. */
    private Held held;

    /** Whether the bookings of the question in flight are to be given back when the answer arrives. */
    private boolean booksAnew;

    private RebookingBackoff backoff;

    Knowledge known;

    /** The one trip in flight. */
    @Nullable
    Trip trip;

    @Nullable
    Outage out;

    /** The time after the latest outage in which this node takes no more than its share. */
    Span recovery;

    private PastOutages past = PastOutages.NONE;

    FleetState(Held held, long nowNanos) {
        this.held = held;
        this.known = Knowledge.none(nowNanos);
        this.backoff = RebookingBackoff.none(nowNanos);
        this.recovery = Span.after(nowNanos, 0);
    }

    private FleetState(FleetState like) {
        this.hand = like.hand.rest();
        this.latest = like.latest;
        this.pending = like.pending;
        this.held = like.held;
        this.booksAnew = like.booksAnew;
        this.backoff = like.backoff;
        this.known = like.known;
        this.trip = like.trip;
        this.out = like.out;
        this.recovery = like.recovery;
        this.past = like.past;
    }

    /** Returns a copy to be changed and published next. Ends the hand of this state: takes are slow until that is published. */
    FleetState successor() {
        return new FleetState(this);
    }

    // Reading

    boolean isOut(long nowNanos) {
        return (out != null && out.covers(nowNanos)) || past.cover(nowNanos);
    }

    /** Returns whether this must not be dropped; permits that an outage keeps from being given back count as spent. */
    boolean isInUse(long nowNanos) {
        return (trip != null && !trip.question.isMereLook())
                || !pending.owed().isNothing()
                || (out == null && !pending.undone().isEmpty())
                || hand.hasFresh(nowNanos);
    }

    Hand hand() {
        return hand;
    }

    PendingUpdates pending() {
        return pending;
    }

    /** Returns whether an outage has lasted for longer than that. */
    boolean hasBeenOutFor(long nanos, long nowNanos) {
        return out != null && nowNanos - out.sinceNanos() > nanos;
    }

    Held held() {
        return held;
    }

    /** Returns whether this node holds permits, or the store may have it on record as holding some. */
    boolean isHoldingOrOnRecord() {
        return held.isAny() || held.isOnRecord();
    }

    /** Returns whether the store is being asked for permits. */
    boolean isAsking() {
        return trip != null && trip.question.one() > 0;
    }

    /** Returns how long until any permit is available, by the latest answer less what the pending updates and trip may take. */
    long untilAny(long nowNanos) {
        long wait = known.untilAny(nowNanos);
        long taken = pending.owed().most() + (trip == null ? 0 : trip.question.mostTaken());
        return wait == PermitPolicy.TAKEN && taken > 0 && known.available(0) <= taken
                ? PermitPolicy.AWAIT_SIGNAL
                : wait;
    }

    @Nullable
    Trip tripBegunSince(FleetState before) {
        return trip == before.trip ? null : trip;
    }

    boolean hasUpdates() {
        return pending.isAny();
    }

    /** Returns whether there are more updates than the next question takes. */
    boolean hasManyUpdates() {
        return pending.isMany();
    }

    /** Returns whether to begin a trip for updates now: if none is in flight, and in an outage only if a probe is due, or in haste. */
    boolean isToSendUpdates(boolean isInHaste, long nowNanos) {
        return trip == null && hasUpdates() && (out == null || isInHaste || out.isProbeDue(nowNanos));
    }

    // Taking

    /**
     * Takes usable permits for a request; there must be enough. They may have been granted for requests of another size. Returns
     * when the store recorded the first of them.
     */
    long takeUsable(int permits, long nowNanos) {
        Hand before = hand;
        latest = before.earliestOf(permits, nowNanos);
        hand = before.less(permits, nowNanos);
        held = held.with(0, 1).withHandChanged(before, hand);
        return latest.storeNanos();
    }

    /** Puts back permits taken a moment ago. Returns false if their grant is no longer known, or has expired. */
    boolean putBack(int permits, long storeNanos, long nowNanos, long lifeNanos) {
        Grant from = hand.isEmpty() || hand.first().storeNanos() != storeNanos ? latest : hand.first();
        if (from == null || from.storeNanos() != storeNanos) {
            return false;
        }
        Grant back = from.putBack(permits, lifeNanos);
        if (back.isStale(nowNanos)) {
            return false;
        }
        hand = hand.inserting(0, List.of(back)); // one call, as it was in use
        return true;
    }

    // Giving back

    /** Gives back permits that have expired. */
    void undoStale(long nowNanos) {
        undo(hand.without(here -> here.isStale(nowNanos)));
    }

    /** Gives back permits granted to requests of another size. */
    void undoOthers(int one) {
        undo(hand.without(here -> here.one() != one));
    }

    /** Gives back permits granted to requests before the first of that size, which have left. */
    void undoBefore(int one) {
        undo(hand.withoutBefore(one));
    }

    /** Gives back the latest bookings that exceed the permits of the waiting requests. */
    void undoBeyond(long waiting) {
        undo(hand.upTo(waiting));
    }

    /** Gives back bookings, made or in flight, as others may now be due at another time. */
    void bookAnew() {
        booksAnew = isAsking();
        undoBooked();
    }

    private void undoBooked() {
        undo(hand.without(Grant::booked));
    }

    /** Books anew as permits have come back and waiting requests may go sooner, unless that was in vain a short while ago. */
    void bookSooner(long nowNanos) {
        if (backoff.isWorthATry(nowNanos)) {
            backoff = backoff.givingUp(hand.all(Grant::booked));
            bookAnew();
        }
    }

    void undoAll() {
        undo(hand.without(here -> true));
    }

    private void undo(Hand.Parted parted) {
        hand = parted.kept();
        parted.gone().forEach(back -> undo(back.slot(), back.calls()));
    }

    void undo(Slot slot, long calls) {
        undoOfNoneHeld(slot);
        held = held.with(-slot.permits(), -calls);
    }

    /** Gives back permits that are not among those this node holds. */
    void undoOfNoneHeld(Slot slot) {
        pending = pending.undoing(slot);
        known = known.withoutDenial();
    }

    void release(int permits, long calls) {
        held = held.with(-permits, -calls);
        renew();
        known = known.withoutDenial();
    }

    /** Records permits that this node has granted alone: reported as held, like those granted by the store. */
    void hold(int permits, long calls) {
        held = held.with(permits, calls);
        renew();
    }

    /** Charges usage. Waiting requests are booked anew behind it, unless that was done for another charge a short while ago. */
    void charge(Owed owed, long nowNanos) {
        if (backoff.isWorthATryForCharge(nowNanos) && (hand.hasBooked() || isAsking())) {
            backoff = backoff.forCharge(nowNanos);
            bookAnew();
        }
        owe(owed);
    }

    /** Charges usage, if there is any; what is booked already comes before it. */
    void owe(Owed owed) {
        if (owed.isNothing()) {
            return;
        }
        pending = pending.owing(owed);
        backoff = backoff.withoutComparison();
        known = known.withoutDenial();
    }

    /** Has a question sent, which reports the held permits. */
    void renew() {
        pending = pending.due();
    }

    /** Forgets the store's answers, which were about another limit. */
    void forget(long nowNanos) {
        known = Knowledge.none(nowNanos);
        backoff = RebookingBackoff.none(nowNanos);
    }

    /** Gives back everything, used or not. */
    void leave() {
        undoAll();
        held = held.withNothing();
        renew();
    }

    // Asking

    /**
     * Creates a question with the pending updates, which are thereby no longer pending in this state, and asks for permits. With
     * too many updates for one question it asks for none; further questions follow.
     */
    Question ask(Wanted wanted) {
        List<Slot> booked = hand.isEmpty()
                ? List.of()
                : hand.all(Grant::booked).stream().map(Grant::slot).toList();
        Question question = pending.question(wanted, booked, held);
        pending = pending.afterQuestion();
        held = held.asked(question);
        return question;
    }

    /** Makes the undone permits of a question pending again, as it was not sent. */
    void notSent(Question unsent) {
        held = held.notAsked();
        pending = pending.undoing(unsent.undone());
    }

    /** Applies an answer. Durations count from its arrival rather than from the store's clock, so no permit is used too early. */
    void answered(Question question, Answer answer, FleetTerms terms, long tookNanos, long nowNanos) {
        long lifeNanos = terms.settings().lifeNanos();
        trip = null;
        known = known.with(answer, question, tookNanos, nowNanos);
        Sizes sizes = question.wanted().sizes();
        int granted = (int) answer.granted();
        long room = sizes.areAlike() ? Math.max(0, terms.leaseAhead() - hand.usable(nowNanos)) : 0;
        int one = Math.max(1, question.one());
        int leased = (int) Math.min(granted, room) / one * one;
        List<Grant> atOnce = Grant.granted(sizes, granted - leased, answer, nowNanos, lifeNanos);
        List<Grant> booked = Grant.booked(sizes, answer, nowNanos, terms.slackNanos());
        Hand before = hand;
        // Permits that expire sooner are used first.
        hand = hand.inserting(
                        hand.dueGrants(nowNanos), Grant.granted(sizes, leased, answer, nowNanos, terms.periodNanos()))
                .inserting(0, atOnce)
                .withBooked(booked);
        held = held.answered(question, answer.gained()).withHandChanged(before, hand);
        backoff = backoff.after(question, answer, nowNanos);
        if (booksAnew) {
            booksAnew = false;
            undoBooked();
        }
    }

    /** Records that the store is back, which other nodes may not have noticed for that long. */
    void back(Outage before, long nowNanos, long recoveryNanos) {
        past = past.with(before.until(nowNanos));
        out = null;
        recovery = Span.after(nowNanos, recoveryNanos);
    }

    /** Begins or continues an outage. Bookings count as spent; permits in hand may be used when the store is back. */
    void failed(Outage begun, long nowNanos) {
        trip = null;
        booksAnew = false;
        backoff = backoff.withoutComparison();
        Hand.Parted parted = hand.without(Grant::booked);
        hand = parted.kept();
        parted.gone().forEach(later -> held = held.with(-later.permits(), -later.calls()));
        known = known.withoutDenial();
        out = begun.beginning(out, nowNanos);
    }
}
