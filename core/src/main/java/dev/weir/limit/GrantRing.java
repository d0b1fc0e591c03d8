package dev.weir.limit;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A ring of the times of the latest grants: a take is one compare-and-set, all other changes go through {@link GrantLog}. */
final class GrantRing extends RingCursor {

    /*
     * The ring holds the last grants in order of time. Its head is the slot of the oldest, and a permit can be taken when that
     * grant is a period old: the time of the new grant then replaces it, and the head moves on.
     *
     *      lap 1 1 1 1 0 0 0 0        a slot = time << 2 | more << 1 | lap
     *                  ^ head
     *
     * One compare-and-set. The position of the head is not stored anywhere that must be kept in step. Each round over the ring
     * writes the other lap bit, so the head is where the lap bit changes, or slot 0 if it changes nowhere; two neighbours show
     * it. The cursor only gives where to look first. It is written without synchronization: a delayed thread may set it back, and
     * the next one searches a little further. So replacing the slot is the whole of a take, and single permits are lock-free.
     *
     * Why the neighbours cannot mislead. A thread reads a slot, then the one before it, sees that they mark the head, and
     * replaces the slot if it still holds what was read. A slot never holds the same value twice, as each rewriting is at least a
     * period later; so at the moment when the neighbour was read the slot held that value too, the two did mark the head, and as
     * only the head is ever written, they still do. To refuse one permit, no second look is needed: a slot is only rewritten
     * after the one before it, so if that one marks the slot as the head, it was the head between the two reads, with the grant
     * that was read, which was too young (and whatever followed is younger).
     *
     * Several permits. The first slot is taken as above but marked with "more"; its taker then fills the following ones in order,
     * each marked but the last. No thread can take a slot whose predecessor is marked with "more": the others spin until the
     * last is written, and never park. All slots were seen to be free before the first was taken, and cannot change before the
     * head gets there.
     *
     * Order. A thread may arrive with a time earlier than that of the newest grant, having read the clock before the other. Its
     * grant is recorded at the later of the two times, or at the ring's origin, which a clock has shown, if that is later still.
     *
     * Freezing. Replacing the head by FROZEN ends the ring: nothing can be taken any more, as every take is made at the head.
     * FROZEN has the other lap bit, as if the slot had been taken, and the "more" mark: so neither it nor the slot after it looks
     * like the head, and a take need not check whether the ring is frozen.
     *
     * References: R. K. Treiber, Systems Programming: Coping with Parallelism, IBM RJ 5118, 1986 (compare-and-set as the
     * commit point); M. M. Michael and M. L. Scott, PODC 1996 (a lagging pointer that anybody may repair).
     */

    /** Returned by every method once the ring is frozen: ask the next ring. */
    static final long FROZEN = Long.MIN_VALUE + 2;

    /** Returned by a take that needs more slots than the ring has, or a time that its slots cannot hold. */
    static final long OUTGROWN = Long.MIN_VALUE + 1;

    /** Returned by the fast path of a take if the full path is needed. */
    static final long UNSETTLED = Long.MIN_VALUE;

    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(long[].class);

    private final int permits;
    private final long periodNanos;
    private final long originNanos;
    private final long[] slots;
    private final Earlier earlier;

    /** The offset until which there is debt; earlier than any time if there never was. */
    private final long owedUntil;

    /** Whether a grant has been overwritten, or a thread has seen that it may be. Written before the slot, and read after it. */
    private boolean forgot;

    GrantRing(GrantLog log) {
        super(log.size() % log.slots());
        this.permits = log.permits();
        this.periodNanos = log.periodNanos();
        this.originNanos = log.originNanos();
        this.earlier = Earlier.than(log);
        this.owedUntil = log.owedUntil();
        this.slots = new long[log.slots()];
        Arrays.fill(slots, RingSlot.UNUSED);
        for (int i = 0; i < log.size(); i++) {
            slots[i] = RingSlot.used(log.time(i));
        }
    }

    int permits() {
        return permits;
    }

    /** Returns the result of {@link PermitPolicy#tryTake} for one permit, or {@link #UNSETTLED}. */
    long tryTakeOne(long nowNanos) {
        // One loop, and nothing in it twice: small enough to be inlined into its callers, also where threads contend.
        // Fields are read once: slots are volatile.
        long[] slots = this.slots;
        long origin = originNanos;
        long now = nowNanos - origin;
        if (!RingSlot.fits(now)) {
            return UNSETTLED;
        }
        int head = whereToLook(origin, slots.length);
        for (int steps = 0; steps < FAR; steps++) {
            long oldest = slot(slots, head);
            long newest = slot(slots, before(slots, head));
            if (RingSlot.isHead(head, oldest, newest)) {
                long wait = waitFor(oldest, now);
                if (wait > 0) {
                    return slots.length >= permits ? wait : UNSETTLED;
                }
                if (takeOne(slots, head, oldest, Math.max(now, RingSlot.time(newest)), origin)) {
                    return PermitPolicy.TAKEN;
                }
            }
            // Another was first: the head is next to where it was, in a cache line that has just been loaded.
            head = head + 1 == slots.length ? 0 : head + 1;
        }
        return UNSETTLED;
    }

    /** Returns the result of {@link PermitPolicy#tryTake}, or {@link #OUTGROWN} or {@link #FROZEN}. */
    long tryTake(int wanted, long nowNanos) {
        long now = offset(nowNanos);
        long earliest = Math.max(0, now); // a clock has shown the origin: what is granted now is granted after it
        if (wanted > slots.length || now > GrantLog.LATEST) {
            return wanted > permits ? PermitPolicy.AWAIT_SIGNAL : OUTGROWN;
        }
        for (; ; ) {
            int head = head();
            if (head < 0) {
                return FROZEN;
            }
            long oldest = slot(head);
            long newest = slot(before(slots, head));
            if (!RingSlot.isHead(head, oldest, newest)) {
                continue;
            }
            long wait = waitFor(wanted == 1 ? oldest : slot(after(head, wanted - 1)), now);
            if (wait > 0) {
                if (slot(head) == oldest) {
                    return slots.length < permits ? OUTGROWN : wait;
                }
            } else if (take(wanted, head, oldest, Math.max(earliest, RingSlot.time(newest)))) {
                return PermitPolicy.TAKEN;
            }
        }
    }

    /** Like {@link #take} for one permit, with values already read. */
    private boolean takeOne(long[] slots, int head, long oldest, long time, long origin) {
        forget(oldest);
        if (!SLOT.compareAndSet(slots, head, oldest, RingSlot.renewed(oldest, time, false))) {
            meet();
            return false;
        }
        lookNextAt(head + 1 == slots.length ? 0 : head + 1, origin, 1);
        return true;
    }

    private boolean take(int wanted, int head, long oldest, long time) {
        forget(oldest);
        if (!SLOT.compareAndSet(slots, head, oldest, RingSlot.renewed(oldest, time, wanted > 1))) {
            meet();
            return false;
        }
        if (wanted > 1) {
            try {
                fill(after(head, 1), wanted - 1, time);
            } catch (Throwable overflowed) {
                // Any call may overflow again. All others spin until the last slot is written, in whatever order.
                for (int left = wanted - 1, next = head + 1; left > 0; left--, next++) {
                    int place = next % slots.length;
                    long lap = (place == next ? ~oldest : oldest) & RingSlot.LAP;
                    forgot |= left == 1 && slots[place] >> RingSlot.MARKS != GrantLog.NEVER;
                    slots[place] = time << RingSlot.MARKS | (left > 1 ? RingSlot.MORE : 0) | lap;
                }
                throw overflowed;
            }
        }
        lookNextAt(after(head, wanted), originNanos, wanted);
        return true;
    }

    /** Takes the {@code many} slots after the first of several. The newest grant that is forgotten is the last. */
    private void fill(int from, int many, long time) {
        long[] slots = this.slots; // or it would be read again after each release write
        forget(slots[after(from, many - 1)]);
        int next = from;
        for (int left = many; left > 0; left--) {
            SLOT.setRelease(slots, next, RingSlot.renewed(slots[next], time, left > 1));
            next = next + 1 == slots.length ? 0 : next + 1;
        }
    }

    private void forget(long slot) {
        if (!forgot && !RingSlot.isUnused(slot)) {
            forgot = true; // never reset, so another thread may have been first
        }
    }

    /** Ends this ring and returns a ring made of its contents, changed; or null if another thread has ended it. */
    @Nullable
    GrantRing next(UnaryOperator<GrantLog> change) {
        for (; ; ) {
            int head = head();
            if (head < 0) {
                return null;
            }
            long oldest = slot(head);
            if (isHead(head, oldest) && SLOT.compareAndSet(slots, head, oldest, RingSlot.frozen(oldest))) {
                try {
                    return new GrantRing(change.apply(log(head, oldest)));
                } catch (Throwable e) {
                    // No memory, or no stack for a further call: this ring stays in use, or all would wait.
                    slots[head] = oldest;
                    throw e;
                }
            }
        }
    }

    private GrantLog log(int head, long oldest) {
        int unused = 0;
        while (unused < slots.length && timeAt(head, unused, oldest) == GrantLog.NEVER) {
            unused++;
        }
        // Grants without a slot are older than those overwritten: they count no more, and are forgotten, too.
        int older = forgot ? 0 : earlier.unplaced.length;
        long[] all = Arrays.copyOf(earlier.unplaced, older + slots.length - unused);
        for (int i = unused; i < slots.length; i++) {
            all[older + i - unused] = timeAt(head, i, oldest);
        }
        Forgotten since =
                forgot ? earlier.forgotten.and(earlier.unplaced.length + slots.length, periodNanos) : earlier.forgotten;
        // Nothing can be taken before a clock has shown the end of the debt, which is repaid then for all clocks.
        long owed = forgot ? Math.min(owedUntil, 0) : owedUntil;
        return new GrantLog(permits, periodNanos, originNanos, all, slots.length, since, owed);
    }

    /** Returns a time of a frozen ring, whose head held {@code oldest}. */
    private long timeAt(int head, int index, long oldest) {
        return RingSlot.time(index == 0 ? oldest : slot(after(head, index)));
    }

    /** Returns the result of {@link PermitPolicy#available}, or {@link #FROZEN}. */
    long available(long nowNanos) {
        long now = offset(nowNanos);
        for (; ; ) {
            int head = head();
            if (head < 0) {
                return FROZEN;
            }
            long oldest = slot(head);
            boolean inDebt = owedUntil > Math.max(0, now) && !forgot;
            long available = inDebt
                    ? -debt(Math.max(0, now))
                    : (long) permits - slots.length + countUpTo(head, now - periodNanos);
            if (isHead(head, oldest)) {
                return available;
            }
        }
    }

    /**
     * Counts the charges that are not yet repaid: a slot charged for k periods ahead has been charged k times over. Times that
     * are ahead only of a clock from before the ring began are no debt.
     */
    private long debt(long now) {
        long debt = 0;
        for (int i = 0; i < slots.length; i++) {
            long ahead = RingSlot.time(slot(i)) - now;
            debt += ahead <= 0 ? 0 : (ahead - 1) / periodNanos + 1;
        }
        return debt;
    }

    /** Counts the grants at or before a time, which come first from the head on. */
    private int countUpTo(int head, long time) {
        int low = 0;
        int high = slots.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (RingSlot.time(slot(after(head, middle))) <= time) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Returns the result of {@link Foretelling#nanosUntilOneByOne}, or {@link #FROZEN}. */
    long nanosUntilOneByOne(long wanted, long nowNanos) {
        long now = Math.min(offset(nowNanos), 2 * GrantLog.LATEST); // by then, nothing counts
        long rounds = wanted <= permits ? 0 : (wanted - 1) / permits; // no division where one round is enough
        int place = (int) (wanted - 1 - rounds * permits) - (permits - slots.length);
        for (; ; ) {
            int head = head();
            if (head < 0) {
                return FROZEN;
            }
            long oldest = slot(head);
            long wait = place < 0 ? 0 : Math.max(0, waitFor(slot(after(head, place)), now));
            if (isHead(head, oldest)) {
                long later = Math.multiplyHigh(rounds, periodNanos) == 0 ? rounds * periodNanos : -1;
                return later < 0 || wait + later < 0 ? PermitPolicy.AWAIT_SIGNAL - 1 : wait + later;
            }
        }
    }

    /** Returns for how long no grant has counted, negative while some do, or {@link #FROZEN}. */
    long nanosSinceFull(long nowNanos) {
        long now = offset(nowNanos);
        for (; ; ) {
            int head = head();
            if (head < 0) {
                return FROZEN;
            }
            long newest = slot(before(slots, head));
            if (isHead(head, slot(head))) {
                return RingSlot.isUnused(newest) ? now : -waitFor(newest, now);
            }
        }
    }

    /** Finds the head once no take of several permits is in progress there; returns -1 if the ring is frozen. */
    private int head() {
        int head = whereToLook(originNanos, slots.length);
        for (int steps = 0; ; steps++) {
            long oldest = slot(head);
            long newest = slot(before(slots, head));
            if (RingSlot.isFrozen(oldest) || RingSlot.isFrozen(newest)) {
                return -1;
            }
            if (!RingSlot.marksHead(head, oldest, newest)) {
                head = steps == FAR ? whereOthersLook() : after(head, 1);
            } else if (!RingSlot.isMoreToCome(newest)) {
                return head;
            }
        }
    }

    /** Returns whether a slot still holds that value and is the head, with no take of several permits in progress. */
    private boolean isHead(int head, long oldest) {
        return slot(head) == oldest && RingSlot.isHead(head, oldest, slot(before(slots, head)));
    }

    private long waitFor(long slot, long now) {
        return RingSlot.time(slot) + periodNanos - now;
    }

    /** May be negative for a thread whose clock is late, but not so far that grants that never were would count. */
    private long offset(long nowNanos) {
        return Math.max(GrantLog.NEVER + periodNanos, nowNanos - originNanos);
    }

    private long slot(int index) {
        return slot(slots, index);
    }

    private static long slot(long[] slots, int index) {
        return (long) SLOT.getVolatile(slots, index);
    }

    private static int before(long[] slots, int index) {
        return (index == 0 ? slots.length : index) - 1;
    }

    private int after(int index, int steps) {
        int next = index + steps;
        return next >= slots.length ? next - slots.length : next;
    }
}
