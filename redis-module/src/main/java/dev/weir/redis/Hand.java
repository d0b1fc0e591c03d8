package dev.weir.redis;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/** What a node has in hand and what it has booked, in the order in which it may be used. A value, but for what is taken of the first. */
final class Hand {

    /*
     * Idea. Where permits are leased ahead, nearly every decision takes one of many that are alike and changes nothing else. So that
     * is one number, and everything else makes a new hand.
     *
     *      open ---- take (CAS of the number) ----> open ---- rest() (CAS: sign set) ----> ended, and what is left is in its successors
     *
     * Invariants. The number only changes while its sign is not set, so what was taken is in what is left. A take leaves at least one,
     * as a hand that is used up is another state. Who ends a hand publishes a successor, or another has: whoever finds it ended looks
     * for the state that follows.
     */

    static final Hand EMPTY = new Hand();

    private static final VarHandle TAKEN;

    static {
        try {
            TAKEN = MethodHandles.lookup().findVarHandle(Hand.class, "taken", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Held[] held;

    /** How many of the first are no longer there; with the sign set, the hand has ended. */
    private volatile int taken;

    private Hand(Held... held) {
        this.held = held;
    }

    // While it is published

    /**
     * Takes so many of the first if that changes nothing else: nothing is booked or stale, it is not the last, and so many are left in
     * all.
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
        for (Held here : held) {
            if (here.booked() || here.isStale(nowNanos)) {
                return false;
            }
        }
        return true;
    }

    /** The first, as it was at the beginning. */
    Held first() {
        return held[0];
    }

    /** Ends this one, and returns what is left of it. */
    Hand rest() {
        if (isEmpty()) {
            return this;
        }
        int taken = this.taken;
        while (taken >= 0 && !TAKEN.compareAndSet(this, taken, taken | Integer.MIN_VALUE)) {
            taken = this.taken;
        }
        taken &= Integer.MAX_VALUE;
        Held[] rest = held;
        if (taken > 0) {
            rest = held.clone();
            rest[0] = held[0].less(taken);
        }
        return new Hand(rest);
    }

    private long permits(int taken) {
        long permits = -(taken & Integer.MAX_VALUE);
        for (Held here : held) {
            permits += here.permits();
        }
        return permits;
    }

    /** Tells whether the first was asked for by requests of that size. */
    boolean isFor(int permits) {
        return !isEmpty() && held[0].one() == permits;
    }

    // Always

    boolean isEmpty() {
        return held.length == 0;
    }

    /** How many permits are in hand or booked. */
    long permits() {
        return permits(taken);
    }

    long unbooked() {
        return count(here -> !here.booked());
    }

    long ripe(long nowNanos) {
        return count(here -> here.isUsable(nowNanos));
    }

    private long count(Predicate<Held> which) {
        long permits = 0;
        for (int i = 0; i < held.length; i++) {
            int gone = i == 0 ? taken & Integer.MAX_VALUE : 0;
            permits += which.test(held[i]) ? held[i].permits() - gone : 0;
        }
        return permits;
    }

    boolean hasBooked() {
        for (Held here : held) {
            if (here.booked()) {
                return true;
            }
        }
        return false;
    }

    boolean hasStale(long nowNanos) {
        for (Held here : held) {
            if (here.isStale(nowNanos)) {
                return true;
            }
        }
        return false;
    }

    boolean hasFresh(long nowNanos) {
        for (Held here : held) {
            if (!here.isStale(nowNanos)) {
                return true;
            }
        }
        return false;
    }

    // While nobody else knows of it, or of what was returned by rest()

    /** How many requests all of it is for. */
    long calls() {
        long calls = 0;
        for (Held here : held) {
            calls += here.calls();
        }
        return calls;
    }

    /** Returns how long until the first request for so many has its booking, or -1 if it has none of its size. */
    long untilBooking(int permits, long nowNanos) {
        for (Held here : held) {
            if (!here.isRipe(nowNanos)) {
                return here.one() == permits && ripe(nowNanos) == 0 ? here.readyNanos() - nowNanos : -1;
            }
        }
        return -1;
    }

    /** Returns what the last of so many permits that are ripe are part of; they must be there. */
    Held lastOf(int permits, long nowNanos) {
        int missing = permits;
        Held last = held[0];
        for (int i = 0; missing > 0 && i < held.length; i++) {
            if (held[i].isUsable(nowNanos)) {
                missing -= held[i].permits();
                last = held[i];
            }
        }
        return last;
    }

    /** The same without so many permits that are ripe, which must be there. */
    Hand less(int permits, long nowNanos) {
        Held first = held[0];
        if (first.permits() > permits && first.isUsable(nowNanos)) {
            Held[] rest = held.length == 1 ? new Held[1] : held.clone();
            rest[0] = first.less(permits);
            return new Hand(rest);
        }
        Held[] rest = new Held[held.length];
        int count = 0;
        int missing = permits;
        for (Held here : held) {
            int taken = here.isUsable(nowNanos) ? Math.min(missing, here.permits()) : 0;
            missing -= taken;
            if (taken < here.permits()) {
                rest[count++] = taken == 0 ? here : here.less(taken);
            }
        }
        return new Hand(Arrays.copyOf(rest, count));
    }

    /** Those that are so, in order. */
    List<Held> all(Predicate<Held> which) {
        return Arrays.stream(held).filter(which).toList();
    }

    /** The same without those. */
    Hand without(Predicate<Held> which) {
        return new Hand(Arrays.stream(held).filter(which.negate()).toArray(Held[]::new));
    }

    /** The latest of what is booked, as far as it is more than so many permits; of whole requests. */
    List<Held> beyond(long permits) {
        long over = permits() - permits;
        List<Held> beyond = new ArrayList<>();
        for (int i = held.length - 1; over > 0 && i >= 0 && held[i].booked(); i--) {
            Held last = held[i].last(over);
            beyond.add(last);
            over -= last.permits();
        }
        return beyond;
    }

    /** The same without the latest, which are those. */
    Hand without(List<Held> latest) {
        Held[] rest = held.clone();
        int count = rest.length;
        for (Held last : latest) {
            Held here = rest[count - 1];
            if (here.permits() == last.permits()) {
                count--;
            } else {
                rest[count - 1] = here.less(last.permits());
            }
        }
        return new Hand(Arrays.copyOf(rest, count));
    }

    /** How many there are before the first that is not ripe yet. */
    int ripeOnes(long nowNanos) {
        int count = 0;
        while (count < held.length && held[count].isRipe(nowNanos)) {
            count++;
        }
        return count;
    }

    /** The same with more at that place, if there are any. */
    Hand with(int place, Held more) {
        if (more.permits() == 0) {
            return this;
        }
        Held[] all = new Held[held.length + 1];
        System.arraycopy(held, 0, all, 0, place);
        all[place] = more;
        System.arraycopy(held, place, all, place + 1, held.length - place);
        return new Hand(all);
    }

    /** The same with more that is booked, each behind what is due before: a place that somebody has left may be. */
    Hand with(List<Held> booked) {
        if (booked.isEmpty()) {
            return this;
        }
        Held[] all = Arrays.copyOf(held, held.length + booked.size());
        int count = held.length;
        for (Held more : booked) {
            int place = count++;
            while (place > 0 && all[place - 1].booked() && all[place - 1].readyNanos() - more.readyNanos() > 0) {
                all[place] = all[--place];
            }
            all[place] = more;
        }
        return new Hand(all);
    }
}
