package dev.weir;

import dev.weir.limit.PermitPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Acquires permits from the members of a {@link Chain} for a request in its queue: permits of all of them, or a place in the
 * queue of the member that makes it wait. Used inside the drain only, except where noted.
 */
final class Acquisition {

    /** The shortest delay before another attempt: anything shorter would only spin. */
    private static final long SOONEST_NANOS = 1_000_000;

    private final Members members;
    private final Runnable wake;

    private @Nullable MemberRequest memberRequest;

    /** The member that had too few permits, if no place is kept for that; otherwise {@link Members#NONE}. */
    private int lacking = Members.NONE;

    /** The request of the chain for which a member is asked. */
    private @Nullable Waiter acquiresFor;

    /** Whether, for that request, all members were asked individually the last time that none gave way. */
    private boolean hasAskedEach;

    /** How often, for that request, a member has granted while another had no permits, since the time below. */
    private int grantsInVain;

    /** Less than {@link #SOONEST_NANOS} ago. */
    private long countedSince;

    private List<Lease> taken = List.of();
    private @Nullable RefusedLease refusal;

    Acquisition(Members members, Runnable wake) {
        this.members = members;
        this.wake = wake;
    }

    /** As {@link PermitSource#tryTake}. */
    long tryTake(Waiter waiter, long nowNanos) {
        boolean isAnother = waiter != acquiresFor;
        if (isAnother) {
            standBack(); // the member was asked for another request, which has left and has another age
            hasAskedEach = false;
        }
        if (isAnother || nowNanos - countedSince >= SOONEST_NANOS) {
            grantsInVain = 0;
            countedSince = nowNanos;
        }
        MemberRequest held = memberRequest;
        memberRequest = null;
        lacking = Members.NONE;
        long wait = goOn(held == null ? ask(0, true, ChainRequest.by(waiter, members.time())) : held);
        acquiresFor = memberRequest == null ? null : waiter;
        return wait;
    }

    /**
     * Moves from the member that answered to one that still lacks permits, until all have them or one has to be waited for. A
     * foreign member may answer only after the pass, and each answer leads to another: so grants are counted over several passes.
     */
    private long goOn(@Nullable MemberRequest first) {
        int most = 2 * members.all().size();
        int hopsLeft = most;
        for (MemberRequest here = first; here != null; here = ask(here.lacking(), true, here.chainRequest)) {
            if (here.isAwaited()) {
                return keep(here);
            }
            Lease answer = here.answer();
            if (answer != null && !answer.isAcquired()) {
                return refused(members.refusedBy(here.member, answer, here.chainRequest.permits()));
            }
            if (findsAll(here)) {
                taken = here.leases();
                return PermitPolicy.TAKEN;
            }
            long untilEachHas = members.nanosUntilEachHas(here.lacking(), here.chainRequest.permits());
            if (untilEachHas > 0) {
                return comeBack(untilEachHas, here.chainRequest, here.lacking());
            }
            grantsInVain += answer == null ? 0 : 1;
            if (hopsLeft-- == 0 || grantsInVain > most) {
                return askEach(here.chainRequest, here.lacking());
            }
        }
        return PermitSource.REFUSED;
    }

    /** Returns whether all members have permits; if not, withdraws the request. */
    private static boolean findsAll(MemberRequest here) {
        boolean all = false;
        try {
            all = here.answer() != null && here.takeTheRest();
        } finally {
            if (!all) {
                here.withdraw();
            }
        }
        return all;
    }

    /**
     * Each member has permits only while another has not, for example two keys that share one free permit. Asks each member while
     * holding what the others granted; the first that does not grant at once decides. If that member waits, without our knowing,
     * for what the others hold, then a place kept there would be served by our own permits, and we would be back here: then the
     * next attempt is made after a delay.
     */
    private long askEach(ChainRequest chainRequest, int lastLacking) {
        if (hasAskedEach) {
            return comeBack(SOONEST_NANOS, chainRequest, lastLacking);
        }
        List<MemberRequest> granted = new ArrayList<>(members.all().size());
        try {
            for (int member = 0; member < members.all().size(); member++) {
                MemberRequest here = ask(member, false, chainRequest);
                Lease answer = here == null ? null : here.answer();
                if (here == null) {
                    return PermitSource.REFUSED;
                } else if (answer == null) {
                    hasAskedEach = true;
                    return keep(here);
                } else if (!answer.isAcquired()) {
                    return refused(members.refusedBy(member, answer, chainRequest.permits()));
                }
                granted.add(here);
            }
            taken = granted.stream()
                    .map(MemberRequest::answer)
                    .map(Objects::requireNonNull)
                    .toList();
            granted.clear();
            return PermitPolicy.TAKEN;
        } finally {
            Every.one(granted, MemberRequest::withdraw);
        }
    }

    private long keep(MemberRequest here) {
        memberRequest = here;
        return PermitPolicy.AWAIT_SIGNAL;
    }

    /**
     * Two keys that share a limiter: one holds what the other waits for. So no place is kept, and the next attempt is made when
     * there should be enough for all. If there never will be, or time does not tell, the member that lacks permits refuses.
     */
    private long comeBack(long untilEachHas, ChainRequest chainRequest, int member) {
        if (untilEachHas == PermitEngine.UNBOUNDED) {
            String by = members.all().get(member).name();
            return refused(RefusedLease.exhausted(chainRequest.permits(), by, member));
        }
        lacking = member;
        return untilEachHas;
    }

    /** A closed member refuses for good: a request is refused when it asks that member, as those that waited there were. */
    private @Nullable MemberRequest ask(int member, boolean withTheRest, ChainRequest chainRequest) {
        RateLimiter limiter = members.all().get(member);
        try {
            return MemberRequest.at(members, member, withTheRest, chainRequest, wake);
        } catch (IllegalStateException thrown) {
            if (Members.isOpen(limiter)) {
                throw thrown;
            }
            refusal = RefusedLease.closed(chainRequest.permits(), limiter.name(), member);
            return null;
        }
    }

    private long refused(RefusedLease lease) {
        refusal = lease;
        return PermitSource.REFUSED;
    }

    /** Returns the leases just taken, once. */
    List<Lease> taken() {
        List<Lease> leases = taken;
        taken = List.of();
        return leases;
    }

    /** Returns the refusal of the request that was just refused, once. */
    RefusedLease refusal() {
        RefusedLease lease = Objects.requireNonNull(refusal, "refusal");
        refusal = null;
        return lease;
    }

    /**
     * Returns the index of the member that makes the request wait: at which a place is kept, or which had too few permits;
     * {@link Members#NONE} if there is none. Any thread; racy.
     */
    int waitsAt() {
        MemberRequest kept = memberRequest;
        return kept == null ? lacking : kept.member;
    }

    /** Returns the request that waits at a member, if any. */
    @Nullable
    MemberRequest memberRequest() {
        return memberRequest;
    }

    /** Signals the member at which a place is kept, so that it serves its waiting requests. */
    void hurry() {
        if (memberRequest != null) {
            members.signal(memberRequest.member);
        }
    }

    /**
     * Withdraws the request that waits at a member, if any: also if the member fails, or a request would wait where it is never
     * answered.
     */
    void standBack() {
        MemberRequest kept = memberRequest;
        memberRequest = null;
        lacking = Members.NONE;
        if (kept != null) {
            kept.withdraw();
        }
    }
}
