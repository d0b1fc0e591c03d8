package dev.weir.limit;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;

/** Takes from several policies, all or nothing. */
final class AllOfPolicy implements PermitPolicy {

    /*
     * Idea. Taking from one after another and giving back when one refuses would burn permits: for a moment others would find
     * them taken. So all are asked first, which takes nothing, and only when all agree is anything taken. For that to still
     * be true when it is taken, whoever takes, charges or reconfigures claims the right to: the claims are numbered, and who
     * asks first notes the number and claims only as the next one.
     *
     *      2n: free ---- claim (CAS) ----> 2n + 1: claimed ---- a few instructions of arithmetic ----> 2n + 2: free
     *
     * Invariants. While claimed, only the claimant diminishes what a member has to give; between the question and the claim
     * nobody did. So what it was promised it gets. What only adds permits needs no claim, nor do reads. A refusal is decided
     * before claiming, and writes nothing.
     *
     * Races. Who finds the claim taken, or another number, asks again, and never parks. Between claim and release there are no
     * user code, no allocation to speak of and no waiting but that of the members themselves.
     *
     * Reference: the numbers are those of a sequence lock, as StampedLock of the JDK is one (tryConvertToWriteLock).
     */

    private static final VarHandle CLAIMS;

    static {
        try {
            CLAIMS = MethodHandles.lookup().findVarHandle(AllOfPolicy.class, "claims", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final PermitPolicy[] members;
    private final boolean returnsOnRelease;

    /** Counts each claim and each end of one: odd while a thread is taking. */
    private volatile int claims;

    /** As of the latest reconfiguration; only touched while claimed. */
    private List<Limit> limits;

    AllOfPolicy(List<Limit> limits, long nowNanos) {
        this.limits = limits;
        this.members = new PermitPolicy[limits.size()];
        boolean returns = false;
        for (int i = 0; i < members.length; i++) {
            members[i] = limits.get(i).newPolicy(nowNanos);
            returns |= members[i].returnsOnRelease();
        }
        this.returnsOnRelease = returns;
    }

    @Override
    public long tryTake(int permits, long nowNanos) {
        int wanted = Math.max(permits, 1);
        for (; ; ) {
            int before = claims;
            long wait = nanosUntil(0, wanted, nowNanos);
            if (wait != TAKEN || permits == 0) {
                return wait;
            }
            if (isClaimedAfter(before)) {
                try {
                    return take(permits, nowNanos);
                } finally {
                    endClaim();
                }
            }
            Spin.again();
        }
    }

    private long take(int permits, long nowNanos) {
        for (int i = 0; i < members.length; i++) {
            long wait = members[i].tryTake(permits, nowNanos);
            if (wait != TAKEN) {
                // A member of a foreign kind that does not keep to what it said.
                for (int taken = i - 1; taken >= 0; taken--) {
                    members[taken].giveBack(permits, nowNanos, nowNanos);
                }
                return wait;
            }
        }
        return TAKEN;
    }

    private void claim() {
        while (!isClaimedAfter(claims)) {
            Spin.again();
        }
    }

    /** Claims as the next one after that many; not while another does, and not if another has. */
    private boolean isClaimedAfter(int before) {
        return (before & 1) == 0 && CLAIMS.compareAndSet(this, before, before + 1);
    }

    private void endClaim() {
        CLAIMS.setRelease(this, claims + 1);
    }

    @Override
    public void giveBack(int permits, long takenAtNanos, long nowNanos) {
        for (PermitPolicy member : members) {
            member.giveBack(permits, takenAtNanos, nowNanos);
        }
    }

    @Override
    public void charge(int permits, long nowNanos) {
        claim();
        try {
            for (PermitPolicy member : members) {
                member.charge(permits, nowNanos);
            }
        } finally {
            endClaim();
        }
    }

    @Override
    public void settle(int taken, int actual, boolean released, long takenAtNanos, long nowNanos) {
        claim();
        try {
            for (PermitPolicy member : members) {
                member.settle(taken, actual, released, takenAtNanos, nowNanos);
            }
        } finally {
            endClaim();
        }
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
    public long nanosUntilFull(long nowNanos) {
        long longest = 0;
        for (PermitPolicy member : members) {
            longest = Math.max(longest, member.nanosUntilFull(nowNanos));
        }
        return longest;
    }

    @Override
    public long nanosUntil(long permits, long nowNanos) {
        long longest = 0;
        for (PermitPolicy member : members) {
            longest = Math.max(longest, member.nanosUntil(permits, nowNanos));
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
        for (PermitPolicy member : members) {
            member.release(permits, nowNanos);
        }
    }

    /** Member by member; if one refuses, those before it return to what they were. */
    @Override
    public void reconfigure(Limit limit, long nowNanos) {
        if (!(limit instanceof AllOf changed) || changed.limits().size() != members.length) {
            throw new IllegalArgumentException("This limiter cannot be reconfigured to " + limit);
        }
        claim();
        try {
            checkKinds(changed);
            for (int i = 0; i < members.length; i++) {
                reconfigure(i, changed, nowNanos);
            }
            limits = changed.limits();
        } finally {
            endClaim();
        }
    }

    private void reconfigure(int member, AllOf changed, long nowNanos) {
        try {
            members[member].reconfigure(changed.limits().get(member), nowNanos);
        } catch (IllegalArgumentException e) {
            for (int i = 0; i < member; i++) {
                members[i].reconfigure(limits.get(i), nowNanos);
            }
            throw e;
        }
    }

    private void checkKinds(AllOf changed) {
        for (int i = 0; i < members.length; i++) {
            if (!isOfSameKind(limits.get(i), changed.limits().get(i))) {
                throw new IllegalArgumentException("limits[" + i + "] cannot be reconfigured from " + limits.get(i)
                        + " to " + changed.limits().get(i));
            }
        }
    }

    private static boolean isOfSameKind(Limit before, Limit after) {
        if (before instanceof CountingCalls calls && after instanceof CountingCalls changed) {
            return isOfSameKind(calls.limit(), changed.limit());
        }
        if (before instanceof TokenBucket bucket && after instanceof TokenBucket changed) {
            return bucket.inSteps() == changed.inSteps();
        }
        return before.getClass() == after.getClass();
    }
}
