package dev.weir.redis;

import dev.weir.handle.Handles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The permits a node holds ahead, and its bookings, in the order of use. Immutable, but for permits taken of the first grant. */
final class Hand {

    /*
     * Idea. With lease-ahead, nearly every decision takes one of many equal permits and changes nothing else. So the number taken
     * is a single counter, and every other change creates a new hand.
     *
     *      open ---- take (CAS of the counter) ----> open ---- rest() (CAS: sign set) ----> ended, the rest is in its successors
     *
     * Invariants. The counter only changes while its sign is not set, so the rest accounts for all takes. A take leaves at least
     * one permit, as a hand that is used up is another state.
     *
     * Ended. A thread that finds a hand ended goes the slow way: it makes a successor of the whole state, and starts over if another
     * thread has published one. So it does no harm to end a hand and then publish nothing, as when there is nothing to change: all
     * successors of one hand have the same rest, and takes only are slow until one is published.
     */

    static final Hand EMPTY = new Hand();

    private static final VarHandle TAKEN =
            Handles.of(() -> MethodHandles.lookup().findVarHandle(Hand.class, "taken", int.class));

    private final Grant[] held;

    /** How many permits of the first grant have been taken; with the sign set, the hand has ended. */
    private volatile int taken;

    private Hand(Grant... held) {
        this.held = held;
    }

    // While it is published

    /**
     * Takes permits of the first grant if that changes nothing else: no grant is booked or stale, the first is not used up by it,
     * and at least {@code least} are left in all.
     */
    boolean take(int permits, long least, long nowNanos) {
        if (isEmpty() || !isPlain(nowNanos)) {
            return false;
        }
        int taken = this.taken;
        while (taken >= 0 && held[0].permits() - taken > permits && permits(taken) - permits >= least) {
            int before = (int) TAKEN.compareAndExchange(this, taken, taken + permits);
            if (before == taken) {
                return true;
            }
            taken = before;
        }
        return false;
    }

    private boolean isPlain(long nowNanos) {
        for (Grant here : held) {
            if (here.booked() || here.isStale(nowNanos)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the first grant as it was initially: later takes are not subtracted. */
    Grant first() {
        return held[0];
    }

    /** Ends this hand, and returns a hand with what is left of it. */
    Hand rest() {
        if (isEmpty()) {
            return this;
        }
        int taken = this.taken;
        while (taken >= 0 && !TAKEN.compareAndSet(this, taken, taken | Integer.MIN_VALUE)) {
            taken = this.taken;
        }
        taken &= Integer.MAX_VALUE;
        Grant[] rest = held;
        if (taken > 0) {
            rest = held.clone();
            rest[0] = held[0].less(taken);
        }
        return new Hand(rest);
    }

    private long permits(int taken) {
        long permits = -(taken & Integer.MAX_VALUE);
        for (Grant here : held) {
            permits += here.permits();
        }
        return permits;
    }

    /** Returns whether the first grant was asked for by requests of that size. */
    boolean isFor(int permits) {
        return !isEmpty() && held[0].one() == permits;
    }

    // At any time

    boolean isEmpty() {
        return held.length == 0;
    }

    /** Returns how many permits are in hand or booked. */
    long permits() {
        return permits(taken);
    }

    /** Returns how many requests those are for. */
    long calls() {
        int gone = taken & Integer.MAX_VALUE;
        long calls = 0;
        for (int i = 0; i < held.length; i++) {
            calls += i == 0 && gone > 0 ? held[0].less(gone).calls() : held[i].calls();
        }
        return calls;
    }

    long unbooked() {
        return count(here -> !here.booked());
    }

    /** Returns how many permits are due and not stale. */
    long usable(long nowNanos) {
        return count(here -> here.isUsable(nowNanos));
    }

    private long count(Predicate<Grant> which) {
        long permits = 0;
        for (int i = 0; i < held.length; i++) {
            int gone = i == 0 ? taken & Integer.MAX_VALUE : 0;
            permits += which.test(held[i]) ? held[i].permits() - gone : 0;
        }
        return permits;
    }

    boolean hasBooked() {
        return any(Grant::booked);
    }

    boolean hasStale(long nowNanos) {
        return any(here -> here.isStale(nowNanos));
    }

    boolean hasFresh(long nowNanos) {
        return any(here -> !here.isStale(nowNanos));
    }

    private boolean any(Predicate<Grant> which) {
        for (Grant here : held) {
            if (which.test(here)) {
                return true;
            }
        }
        return false;
    }

    // Only before it is published, as with the result of rest()

    /** Returns how long until the booking of the first request is due, or -1 if there is none of its size. */
    long untilBooking(int permits, long nowNanos) {
        for (Grant here : held) {
            if (!here.isDue(nowNanos)) {
                return here.one() == permits && usable(nowNanos) == 0 ? here.readyNanos() - nowNanos : -1;
            }
        }
        return -1;
    }

    /** Returns how long until the latest booking is due; there must be one that is not due yet. */
    long untilLatest(long nowNanos) {
        return held[held.length - 1].readyNanos() - nowNanos;
    }

    /** Returns the grant, of those that that many usable permits are part of, that was recorded first; there must be that many. */
    Grant earliestOf(int permits, long nowNanos) {
        int missing = permits;
        @Nullable Grant earliest = null;
        for (int i = 0; missing > 0 && i < held.length; i++) {
            if (held[i].isUsable(nowNanos)) {
                missing -= held[i].permits();
                boolean isEarlier = earliest == null || held[i].storeNanos() < earliest.storeNanos();
                earliest = isEarlier ? held[i] : earliest;
            }
        }
        return Objects.requireNonNull(earliest, "no permits");
    }

    /** Returns this without that many usable permits; there must be that many. */
    Hand less(int permits, long nowNanos) {
        Grant first = held[0];
        if (first.permits() > permits && first.isUsable(nowNanos)) {
            Grant[] rest = held.length == 1 ? new Grant[1] : held.clone();
            rest[0] = first.less(permits);
            return new Hand(rest);
        }
        Grant[] rest = new Grant[held.length];
        int count = 0;
        int missing = permits;
        for (Grant here : held) {
            int taken = here.isUsable(nowNanos) ? Math.min(missing, here.permits()) : 0;
            missing -= taken;
            if (taken < here.permits()) {
                rest[count++] = taken == 0 ? here : here.less(taken);
            }
        }
        return count == 0 ? EMPTY : new Hand(Arrays.copyOf(rest, count));
    }

    /** Returns the matching grants, in order. */
    List<Grant> all(Predicate<Grant> which) {
        return Arrays.stream(held).filter(which).toList();
    }

    /** A hand in two: what is kept of it, and what has gone. */
    record Parted(Hand kept, List<Grant> gone) {}

    /** Parts this from the matching grants. */
    Parted without(Predicate<Grant> which) {
        if (!any(which)) {
            return new Parted(this, List.of());
        }
        Grant[] kept = Arrays.stream(held).filter(which.negate()).toArray(Grant[]::new);
        return new Parted(new Hand(kept), all(which));
    }

    /** Parts this from the grants before the first for requests of that size, or from all if there is none. */
    Parted withoutBefore(int one) {
        List<Grant> gone =
                Arrays.stream(held).takeWhile(here -> here.one() != one).toList();
        return new Parted(new Hand(Arrays.copyOfRange(held, gone.size(), held.length)), gone);
    }

    /** Parts this from the latest bookings that exceed that many permits in all: latest first, and in whole requests. */
    Parted upTo(long permits) {
        long over = permits() - permits;
        List<Grant> gone = new ArrayList<>();
        Grant[] kept = held.clone();
        int count = held.length;
        while (over > 0 && count > 0 && held[count - 1].booked()) {
            Grant here = held[count - 1];
            Grant last = here.last(over);
            gone.add(last);
            over -= last.permits();
            if (last.permits() == here.permits()) {
                count--;
            } else {
                kept[count - 1] = here.less(last.permits()); // then nothing is over
            }
        }
        return new Parted(new Hand(Arrays.copyOf(kept, count)), gone);
    }

    /** Returns how many grants precede the first that is not due yet. */
    int dueGrants(long nowNanos) {
        int count = 0;
        while (count < held.length && held[count].isDue(nowNanos)) {
            count++;
        }
        return count;
    }

    /** Returns this with grants inserted at that place. */
    Hand inserting(int place, List<Grant> more) {
        if (more.isEmpty()) {
            return this;
        }
        List<Grant> all = new ArrayList<>(Arrays.asList(held));
        all.addAll(place, more);
        return new Hand(all.toArray(Grant[]::new));
    }

    /** Returns this with more bookings, sorted by due time: a new one may be due before others, in a place that was given up. */
    Hand withBooked(List<Grant> booked) {
        if (booked.isEmpty()) {
            return this;
        }
        Grant[] all = Arrays.copyOf(held, held.length + booked.size());
        int count = held.length;
        for (Grant more : booked) {
            int place = count++;
            while (place > 0 && all[place - 1].booked() && all[place - 1].readyNanos() - more.readyNanos() > 0) {
                all[place] = all[--place];
            }
            all[place] = more;
        }
        return new Hand(all);
    }
}
