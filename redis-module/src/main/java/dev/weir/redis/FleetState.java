package dev.weir.redis;

import dev.weir.limit.PermitPolicy;
import dev.weir.time.TimeSource;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a node has and knows of one limit, and what it is about to tell the store. A value, but for what is taken of the hand: each other
 * change is made to a copy before that is published.
 *
 * <pre>
 *                      no permits in hand                         answered: permits in hand, or booked, or how long to wait
 *   nothing under way -------------------> a trip is under way ------------------------------------------> nothing under way
 *                                             |                       (again at once, if there is more to tell by then)
 *                                             +--- failed, or too late ---> out: this node decides on its own, until a trip succeeds
 * </pre>
 */
final class FleetState {

    private Hand hand = Hand.EMPTY;

    /** What the latest permits were part of that were not taken of the hand alone. */
    private @Nullable Held latest;

    private News news = News.NONE;

    /** Whether the store may have it on record that this node holds any: it had at its latest answer, or was asked or told since. */
    private boolean isOnRecord;

    /** The same before the latest question. */
    private boolean wasOnRecord;

    /** Whether what is being booked goes back when the answer comes. */
    private boolean booksAnew;

    private Hindsight hindsight;

    Knowledge known;

    /** The one trip under way. */
    @Nullable
    Trip trip;

    @Nullable
    Outage out;

    private PastOutages past = PastOutages.NONE;

    FleetState(long nowNanos) {
        this.known = Knowledge.none(nowNanos);
        this.hindsight = Hindsight.none(nowNanos);
    }

    private FleetState(FleetState like) {
        this.hand = like.hand.rest();
        this.latest = like.latest;
        this.news = like.news;
        this.isOnRecord = like.isOnRecord;
        this.wasOnRecord = like.wasOnRecord;
        this.booksAnew = like.booksAnew;
        this.hindsight = like.hindsight;
        this.known = like.known;
        this.trip = like.trip;
        this.out = like.out;
        this.past = like.past;
    }

    /** One that is to follow: nothing more can be taken of the hand of this. */
    FleetState copy() {
        return new FleetState(this);
    }

    // What there is

    boolean isOut(long nowNanos) {
        return (out != null && out.covers(nowNanos)) || past.cover(nowNanos);
    }

    /** Tells whether there is anything that must not be forgotten; what an outage keeps from going back is as good as spent. */
    boolean isHoldingAny(long nowNanos) {
        return (trip != null && !trip.question.isMereLook())
                || news.charge() > 0
                || (out == null && !news.undone().isEmpty())
                || hand.hasFresh(nowNanos);
    }

    Hand hand() {
        return hand;
    }

    /** Tells whether there are leases out, or permits for them, that this node has to tell the store of. */
    boolean isHolding() {
        return news.isHolding();
    }

    /** The same, or there may have been when the store last heard of it. */
    boolean isHoldingOrOnRecord() {
        return isHolding() || isOnRecord;
    }

    /** Tells whether the store is being asked for permits. */
    boolean isAsking() {
        return trip != null && trip.question.one() > 0;
    }

    /** Answers who asks for anything at all from what is known, less what is about to be taken, while an answer is on its way. */
    long untilAny(long nowNanos) {
        long wait = known.untilAny(nowNanos);
        long taken = news.charge() + (trip == null ? 0 : trip.question.mostTaken());
        return wait == PermitPolicy.TAKEN && taken > 0 && known.available(0) <= taken
                ? PermitPolicy.AWAIT_SIGNAL
                : wait;
    }

    boolean hasToTell() {
        return news.isAny();
    }

    /** Tells whether that is more than the next question tells. */
    boolean hasMuchToTell() {
        return news.isMuch();
    }

    /** Tells whether to begin a trip for it: if none is under way that the next will follow, and, while alone, if it is time to look. */
    boolean isToTellNow(TimeSource time) {
        return trip == null && hasToTell() && (out == null || out.isWorthALook(true, time.nanoTime()));
    }

    // Taking

    /**
     * Takes ripe permits for a request, which must be there; they may have been asked for by requests of another size. Returns when the
     * store recorded the last of them.
     */
    long takeRipe(int permits, long nowNanos) {
        long calls = hand.calls();
        latest = hand.lastOf(permits, nowNanos);
        hand = hand.less(permits, nowNanos);
        holdMore(0, 1 - (calls - hand.calls()));
        return latest.storeNanos();
    }

    /** Puts back what was taken a moment ago. Answers false if it is not known any more what that was, or its time is over. */
    boolean putBack(int permits, long storeNanos, long nowNanos, long lifeNanos) {
        Held from = hand.isEmpty() || hand.first().storeNanos() != storeNanos ? latest : hand.first();
        if (from == null || from.storeNanos() != storeNanos) {
            return false;
        }
        Held back = from.putBack(permits, lifeNanos);
        if (back.isStale(nowNanos)) {
            return false;
        }
        hand = hand.with(0, back); // one call, as it was in use
        return true;
    }

    // Giving back

    /** Gives back what was kept for too long. */
    void undoStale(long nowNanos) {
        if (hand.hasStale(nowNanos)) {
            undoAll(here -> here.isStale(nowNanos));
        }
    }

    /** Gives back what was granted to requests of another size. */
    void undoOthers(int one) {
        undoAll(here -> here.one() != one);
    }

    /** Gives back the latest of what is booked beyond what those who wait ask for. */
    void undoBeyond(long waiting) {
        List<Held> beyond = hand.beyond(waiting);
        if (!beyond.isEmpty()) {
            hand = hand.without(beyond);
            beyond.forEach(this::undo);
        }
    }

    /** Gives back what is booked. */
    void undoBooked() {
        undoAll(Held::booked);
    }

    /** Gives back what is booked or being booked, as those who wait may now go at another time. Tells whether any was booked. */
    boolean bookAnew() {
        booksAnew = isAsking();
        boolean hadBooked = hand.hasBooked();
        undoBooked();
        return hadBooked;
    }

    /** The same as permits have come back, so that those who wait may go sooner; unless that was in vain a short while ago. */
    void bookSooner(long nowNanos) {
        if (hindsight.isWorthATry(nowNanos)) {
            hindsight = hindsight.givingUp(hand.all(Held::booked));
            boolean unused = bookAnew();
        }
    }

    void undoAll() {
        undoAll(here -> true);
    }

    private void undoAll(Predicate<Held> which) {
        if (!hand.isEmpty()) {
            List<Held> back = hand.all(which);
            hand = hand.without(which);
            back.forEach(this::undo);
        }
    }

    private void undo(Held back) {
        undo(back.slot(), back.calls());
    }

    void undo(Slot slot, long calls) {
        undoOfNoneHeld(slot);
        holdMore(-slot.permits(), -calls);
    }

    /** The same where it is not among what this node holds. */
    void undoOfNoneHeld(Slot slot) {
        news = news.undone(slot);
        known = known.changed();
    }

    void release(int permits, long calls) {
        holdMore(-permits, -calls);
        renew();
        known = known.changed();
    }

    /** Takes note of what this node has granted alone: the store is told of it as of what it granted itself. */
    void hold(int permits, long calls) {
        holdMore(permits, calls);
        renew();
    }

    private void holdMore(long permits, long calls) {
        news = news.holding(permits, calls);
    }

    void charge(long permits) {
        news = news.charged(permits);
        beforeThoseWhoWait();
    }

    /** Charges what was admitted alone. */
    void owe(Owed owed) {
        news = news.owed(owed);
        beforeThoseWhoWait();
    }

    private void beforeThoseWhoWait() {
        hindsight = hindsight.withoutComparison();
        known = known.changed();
    }

    /** Has the store told what is held. */
    void renew() {
        news = news.withHeldNew();
    }

    /** Knows nothing of what the store has said, which was of another limit. */
    void forget(long nowNanos) {
        known = Knowledge.none(nowNanos);
        hindsight = Hindsight.none(nowNanos);
    }

    /** Gives back everything, used or not. */
    void leave() {
        undoAll();
        news = news.holdingNothing();
    }

    // Asking

    /**
     * Makes the question that tells and asks for everything there is to; with the next change there is nothing of it left. Where there is
     * too much to tell it asks for nothing, and the next are to follow.
     */
    Question ask(int one, long most, long waiting, long longestWaitNanos, long aheadNanos) {
        List<Slot> booked = hand.isEmpty()
                ? List.of()
                : hand.all(Held::booked).stream().map(Held::slot).toList();
        Question question = news.isMuch()
                ? news.questionOfSome(booked)
                : news.question(one, most, waiting, longestWaitNanos, aheadNanos, booked);
        news = news.told();
        wasOnRecord = isOnRecord;
        isOnRecord |= question.one() > 0 || news.isHolding();
        return question;
    }

    /** Has told nothing of what was undone, or is held, as that question was not sent. */
    void putBack(Question unsent) {
        isOnRecord = wasOnRecord;
        news = news.undone(unsent.undone());
    }

    /** Makes the question that only tells, and hears how things are. */
    Question askNothing() {
        return ask(0, 0, 0, 0, 0);
    }

    /** Takes note of an answer, late in the sense of a duration: nothing is ever used too early. */
    void answered(Question question, Answer answer, Manners manners, long tookNanos, long nowNanos, long slackNanos) {
        trip = null;
        known = known.with(answer, question, tookNanos, nowNanos);
        int one = Math.max(1, question.one());
        int granted = (int) answer.granted();
        int leased = (int) Math.min(granted, Math.max(0, manners.leaseAhead() - hand.ripe(nowNanos))) / one * one;
        List<Held> booked = Held.booked(one, answer, nowNanos, slackNanos);
        long gained = granted;
        for (Held later : booked) {
            gained += later.permits();
        }
        // What is kept for a shorter time is used first.
        hand = hand.with(hand.ripeOnes(nowNanos), Held.granted(leased, one, answer, nowNanos, manners.leaseNanos()))
                .with(0, Held.granted(granted - leased, one, answer, nowNanos, manners.lifeNanos()))
                .with(booked);
        holdMore(gained, gained / one);
        isOnRecord = gained > 0 || question.heldPermits() > 0 || question.heldCalls() > 0;
        hindsight = hindsight.after(question, answer, nowNanos);
        if (booksAnew) {
            booksAnew = false;
            undoBooked();
        }
    }

    /** Takes note that the store is back. Goes by it again when all nodes have had the time to tell what they admitted alone. */
    void back(Outage before, long nowNanos, long settleNanos) {
        Outage settling = before.answered(nowNanos);
        if (nowNanos - settling.backNanos() < settleNanos) {
            out = settling;
        } else {
            past = past.with(new Outage.Past(before.sinceNanos(), nowNanos));
            out = null;
        }
    }

    /** Goes on without the store. What was booked counts as spent; what is in hand may be used when the store is back. */
    void failed(Throwable cause, long sinceNanos, long retryNanos) {
        trip = null;
        booksAnew = false;
        hindsight = hindsight.withoutComparison();
        for (Held later : hand.all(Held::booked)) {
            holdMore(-later.permits(), -later.calls());
        }
        hand = hand.without(Held::booked);
        known = known.changed();
        Outage before = out;
        long since = before != null && before.covers(sinceNanos) ? before.sinceNanos() : sinceNanos;
        out = new Outage(since, retryNanos, cause);
    }
}
