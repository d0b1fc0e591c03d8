package dev.weir.limit;

import dev.weir.handle.Handles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Takes from several policies, all or nothing. */
final class AllOfPolicy implements PermitPolicy {

    /*
     * Idea. Taking from one after another and giving back when one refuses would waste permits: for a moment other threads would
     * find them taken. So all members are asked first, which takes nothing, and only when all agree is anything taken. The
     * promised permits must still be available when they are taken, although other threads take at the same time. So a request
     * counts all permits in flight as already taken, then enters, and is itself in flight until it has taken from every member.
     *
     *      asks ---- enters (CAS: nobody else has since) ----> in flight ---- takes from one member after another ----> leaves
     *
     * What is in flight is the difference of two counts that only grow: what has entered and what has left. So a thread that
     * finds that nothing has entered since it asked knows that it had counted all requests that could be before it.
     *
     * Invariant. Every member has at least what all requests in flight have not yet taken from it: it had as much when each of
     * them entered, and only they have taken since. So a request that has entered gets what it was promised, whichever is first,
     * and a CAS fails only because another request entered.
     *
     * Refusals. A request that the members would refuse even without those in flight is refused: all that is missing was taken
     * for good. Nothing is written for it. Only if the last permits suffice for a request but not for those in flight as well is
     * it open which of them gets the permits, and the request asks again until those have left, or there are more.
     *
     * Broken promises. Another thread with a later time may have taken permits that were not due yet at the time of this one, or
     * something was charged. The request has been granted before either, so what it takes is charged: the members are then as
     * they would have been in that order.
     *
     * Alone. Members of unknown classes cannot tell what they would have left after other requests, so then only one request is
     * in flight at a time; if such a member refuses after all, the request is refused, and what the members before gave is given
     * back. Reconfiguration enters with more permits than anything else, so that no other thread can enter, and waits until all
     * before have left. None of this parks.
     *
     * References: P. E. O'Neil, The Escrow Transactional Method, ACM TODS 11(4), 1986.
     */

    private static final VarHandle ENTERED =
            Handles.of(() -> MethodHandles.lookup().findVarHandle(AllOfPolicy.class, "entered", long.class));
    private static final VarHandle LEFT =
            Handles.of(() -> MethodHandles.lookup().findVarHandle(AllOfPolicy.class, "left", long.class));

    /** The lower bits count permits, the upper bits requests; there are never as many threads as the upper bits can count. */
    private static final int PERMIT_BITS = 44;

    private static final long ONE_CALL = 1L << PERMIT_BITS;

    /** More permits than all requests in flight can have. */
    private static final long EVERYTHING = ONE_CALL >> 1;

    private final PermitPolicy[] members;
    private final boolean returnsOnRelease;

    /** Whether all members can tell what they would have left after other requests. */
    private final boolean foretelling;

    /** The requests ever granted, with their permits; {@code left} counts those of them that are no longer in flight. */
    private volatile long entered;

    private volatile long left;

    /** What has left as well, but could not be counted as such, as the stack had overflowed: then no call is safe, only a field. */
    private volatile long abandoned;

    /** The limits as of the latest reconfiguration; accessed only while alone. */
    private List<Limit> limits;

    AllOfPolicy(List<Limit> limits, long nowNanos) {
        this.limits = limits;
        this.members = new PermitPolicy[limits.size()];
        boolean returns = false;
        boolean foretelling = true;
        for (int i = 0; i < members.length; i++) {
            members[i] = limits.get(i).newPolicy(nowNanos);
            returns |= members[i].returnsOnRelease();
            foretelling &= isForetelling(members[i]);
        }
        this.returnsOnRelease = returns;
        this.foretelling = foretelling;
    }

    private static boolean isForetelling(PermitPolicy member) {
        return CountingCallsPolicy.counted(member) instanceof Foretelling;
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // no two stacks overflow at the same instant
    public long tryTake(int permits, long nowNanos) {
        if (permits == 0) {
            return nanosUntil(0, 1, nowNanos);
        }
        long request = ONE_CALL + permits;
        for (; ; ) {
            long entered = this.entered;
            long underWay = entered - left - abandoned;
            if (permits > 1 && permits > capacity()) {
                return AWAIT_SIGNAL; // the limit has just become smaller
            }
            long wait = nanosUntil(0, permits, nowNanos);
            if (wait != TAKEN) {
                return wait;
            }
            if ((underWay == 0 || fitsBehind(underWay, permits, nowNanos))
                    && ENTERED.compareAndSet(this, entered, entered + request)) {
                try {
                    return take(permits, nowNanos);
                } finally {
                    boolean hasLeft = false;
                    try {
                        LEFT.getAndAdd(this, request);
                        hasLeft = true;
                    } finally {
                        if (!hasLeft) {
                            abandoned += request;
                        }
                    }
                }
            }
        }
    }

    private boolean fitsBehind(long underWay, int permits, long nowNanos) {
        long calls = underWay >>> PERMIT_BITS;
        long ahead = underWay & (ONE_CALL - 1);
        if (!foretelling || ahead > Integer.MAX_VALUE) {
            return false;
        }
        for (PermitPolicy member : members) {
            long wait = member instanceof CountingCallsPolicy counting
                    ? counting.nanosUntilCall(calls, nowNanos)
                    : member.nanosUntil(ahead, permits, nowNanos);
            if (wait != TAKEN) {
                return false;
            }
        }
        return true;
    }

    private long take(int permits, long nowNanos) {
        int taken = 0;
        try {
            while (taken < members.length) {
                long wait = members[taken].tryTake(permits, nowNanos);
                if (wait != TAKEN && foretelling) {
                    chargeRequest(members[taken], permits, nowNanos);
                } else if (wait != TAKEN) {
                    return wait;
                }
                taken++;
            }
            return TAKEN;
        } finally {
            if (taken < members.length) { // also if a member throws
                EachMember.of(Arrays.copyOf(members, taken), member -> member.putBack(permits, nowNanos, nowNanos));
            }
        }
    }

    private static void chargeRequest(PermitPolicy member, int permits, long nowNanos) {
        if (member instanceof CountingCallsPolicy counting) {
            counting.chargeCall(nowNanos);
        } else {
            member.charge(permits, nowNanos);
        }
    }

    private void enterAlone() {
        for (; ; ) {
            long before = entered;
            boolean isAnotherAlone = ((before - left - abandoned) & (ONE_CALL - 1)) >= EVERYTHING;
            if (!isAnotherAlone && ENTERED.compareAndSet(this, before, before + EVERYTHING)) {
                while (left + abandoned != before) {} // not Thread.onSpinWait(), which BlockHound takes for blocking
                return;
            }
        }
    }

    @Override
    public void giveBack(int permits, long takenAtNanos, long nowNanos) {
        EachMember.of(members, member -> member.giveBack(permits, takenAtNanos, nowNanos));
    }

    @Override
    public void putBack(int permits, long takenAtNanos, long nowNanos) {
        EachMember.of(members, member -> member.putBack(permits, takenAtNanos, nowNanos));
    }

    @Override
    public void charge(int permits, long nowNanos) {
        EachMember.of(members, member -> member.charge(permits, nowNanos));
    }

    @Override
    public void settle(int taken, int actual, boolean released, long takenAtNanos, long nowNanos) {
        EachMember.of(members, member -> member.settle(taken, actual, released, takenAtNanos, nowNanos));
    }

    @Override
    public long available(long nowNanos) {
        long least = Integer.MAX_VALUE;
        for (PermitPolicy member : members) {
            long available = member instanceof CountingCallsPolicy calls
                    ? calls.availableToOneCall(nowNanos)
                    : member.available(nowNanos);
            least = Math.min(least, available);
        }
        return least;
    }

    @Override
    public long[] availableOfEach(long nowNanos) {
        return Arrays.stream(members)
                .flatMapToLong(member -> Arrays.stream(member.availableOfEach(nowNanos)))
                .toArray();
    }

    @Override
    public long nanosUntilFull(long nowNanos) {
        long longest = 0;
        for (PermitPolicy member : members) {
            longest = Math.max(longest, member.nanosUntilFull(nowNanos));
        }
        return longest;
    }

    @Override
    public long nanosUntil(long ahead, int permits, long nowNanos) {
        long longest = 0;
        for (PermitPolicy member : members) {
            longest = Math.max(longest, member.nanosUntil(ahead, permits, nowNanos));
        }
        return longest;
    }

    /** The longest of the members' minimum waits, even if another member's is unknown. */
    @Override
    public long nanosAtLeast(long requestsAhead, long ahead, int permits, long nowNanos) {
        long longest = 0;
        for (PermitPolicy member : members) {
            longest = Math.max(longest, member.nanosAtLeast(requestsAhead, ahead, permits, nowNanos));
        }
        return longest;
    }

    /** If a member refuses after all, those before it have given for a moment. */
    @Override
    public boolean findsWaitByTaking() {
        return !foretelling;
    }

    @Override
    public long nanosSinceFull(long nowNanos) {
        long shortest = Long.MAX_VALUE;
        for (PermitPolicy member : members) {
            shortest = Math.min(shortest, member.nanosSinceFull(nowNanos));
        }
        return shortest;
    }

    @Override
    public void signalTo(Runnable drain) {
        for (PermitPolicy member : members) {
            member.signalTo(drain);
        }
    }

    @Override
    public long nanosUntilDecided(int permits, long nowNanos) {
        return StoresBehind.nanosUntilDecided(members, permits, nowNanos);
    }

    @Override
    public @Nullable Throwable failure(long nowNanos) {
        return StoresBehind.failure(members, nowNanos);
    }

    @Override
    public DecisionSource source(long nowNanos) {
        return StoresBehind.source(members, nowNanos);
    }

    @Override
    public void close() {
        EachMember.of(members, PermitPolicy::close);
    }

    @Override
    public int capacity() {
        int least = Integer.MAX_VALUE;
        for (PermitPolicy member : members) {
            least = Math.min(least, member.capacity());
        }
        return least;
    }

    @Override
    public boolean returnsOnRelease() {
        return returnsOnRelease;
    }

    @Override
    public void release(int permits, long nowNanos) {
        EachMember.of(members, member -> member.release(permits, nowNanos));
    }

    /**
     * Reconfigures member by member, those first that may still refuse: if one does, those before it are restored, and for a limit that
     * remembers what it has granted a change and its reverse are not nothing.
     */
    @Override
    public void reconfigure(Limit limit, long nowNanos) {
        AllOf changed = Kind.checked(AllOf.class, limit);
        if (changed.limits().size() != members.length) {
            throw Kind.mismatch(limit);
        }
        enterAlone();
        try {
            checkKinds(changed);
            reconfigure(changed.limits(), nowNanos);
            limits = changed.limits();
        } finally {
            left = entered - abandoned; // nobody else is in flight
        }
    }

    private void reconfigure(List<Limit> changed, long nowNanos) {
        List<Integer> order = IntStream.range(0, members.length)
                .boxed()
                .sorted(Comparator.comparing(i -> isForetelling(members[i])))
                .toList();
        int done = 0;
        try {
            for (; done < members.length; done++) {
                int next = order.get(done);
                members[next].reconfigure(changed.get(next), nowNanos);
            }
        } catch (Throwable refused) {
            order.subList(0, done).forEach(before -> restore(before, nowNanos, refused));
            throw refused;
        }
    }

    private void restore(int changed, long nowNanos, Throwable refused) {
        try {
            members[changed].reconfigure(limits.get(changed), nowNanos);
        } catch (Throwable broken) {
            if (broken != refused) {
                refused.addSuppressed(broken);
            }
        }
    }

    private void checkKinds(AllOf changed) {
        for (int i = 0; i < members.length; i++) {
            if (!Kind.isSame(limits.get(i), changed.limits().get(i))) {
                throw new IllegalArgumentException("limits[" + i + "] cannot be reconfigured from " + limits.get(i)
                        + " to " + changed.limits().get(i));
            }
        }
    }
}
