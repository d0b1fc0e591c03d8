package dev.weir;

import dev.weir.handle.Every;
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

    /*
     * One question at a time. One member is asked for a permit, or for a place in its queue; when it has a permit, all others are
     * asked for theirs. If one of these has none, that member is asked next, and nothing is held meanwhile. So a request waits at
     * one member at most.
     *
     * A request that may not wait for ever may wait at a member for what is left. So the member refuses it as soon as it knows that
     * this is too short, or when it is over, and says when to come back; and its observer hears of a refusal. Which member refuses
     * does not depend on which is asked first: if one alone is known to make the request wait too long, the others are not asked.
     *
     * Going in circles. Two members may each have permits only while the other has none, as two keys that share one free permit:
     * asked in turn, each sends the request on to the other, for ever. So the hops from member to member are counted, and a request
     * that has made more than two for each member goes in circles. Limiters of this library answer within the pass, or make the
     * request wait until something has happened there, so each pass counts anew. A foreign member may answer only after the pass, and
     * each answer leads to another pass: where one is foreign, the hops of several passes count together; but only those of a short
     * time, as a request that waits for long may make many and not go in circles.
     *
     * A round. A request that goes in circles asks each member once while what the others granted is held, which shows the one that
     * has none at that moment. A place kept there may be served by what was held, and given back; that leads here again, where
     * another round would show the same. So a request makes one round, and after that gives up its place and tries again after a
     * delay, and at its deadline.
     */

    /** The shortest delay before another attempt: anything shorter would only spin. */
    private static final long SOONEST_NANOS = 1_000_000;

    /** The longest delay before a request that keeps no place looks again: nobody tells it of permits that are given back. */
    private static final long LATEST_NANOS = 1_000_000_000;

    private static final Outcome NOTHING = new Nothing();

    private final Members members;
    private final Runnable wake;

    /** Refused callers read this, too, and a chain of which this one is a member. */
    private volatile Outcome outcome = NOTHING;

    /** The request of the chain for which a member is asked. */
    private @Nullable Waiter acquiresFor;

    /** Whether that request has made its round. */
    private boolean hasMadeRound;

    /** The hops of that request that count. */
    private int hops;

    /** When the first of them may have been made. */
    private long hopsSince;

    /** What the latest attempt led to, as far as it still matters. */
    private sealed interface Outcome {

        /** The member that makes the request wait. */
        default int member() {
            return Members.NONE;
        }
    }

    private record Nothing() implements Outcome {}

    /** A place is kept at a member. */
    private record WaitsAt(MemberRequest memberRequest) implements Outcome {

        @Override
        public int member() {
            return memberRequest.member;
        }
    }

    /** A member had too few permits; no place is kept. */
    private record Lacks(int member) implements Outcome {}

    /** All members have granted. */
    private record Took(List<Lease> leases) implements Outcome {}

    private record Refused(RefusedLease refusal) implements Outcome {}

    Acquisition(Members members, Runnable wake) {
        this.members = members;
        this.wake = wake;
    }

    /** As {@link PermitSource#tryTake}. */
    long tryTake(Waiter waiter, long nowNanos) {
        int lacked = outcome instanceof Lacks lacks ? lacks.member : Members.NONE;
        boolean isAnother = waiter != acquiresFor;
        if (isAnother) {
            withdraw(); // the member was asked for another request, which has left and has another age
            hasMadeRound = false;
        }
        if (isAnother || nowNanos - hopsSince >= SOONEST_NANOS || members.areOurs()) {
            hops = 0;
            hopsSince = nowNanos;
        }
        MemberRequest held = memberRequest();
        if (held != null && held.isAwaited()) {
            return PermitPolicy.AWAIT_SIGNAL; // keeps the outcome: others see by it whether permits are held
        }
        outcome = NOTHING;
        long wait = lacked == Members.NONE ? 0 : waitForEach(waiter, lacked, nowNanos);
        if (wait == 0 || wait == PermitSource.REFUSED) { // if time does not tell for the moment, they are asked
            wait = askUntilAllGrant(waiter, held == null ? askFirst(waiter) : held, nowNanos);
        }
        acquiresFor = memberRequest() == null ? null : waiter;
        return wait;
    }

    private @Nullable MemberRequest askFirst(Waiter waiter) {
        return ask(waiter, tooSlow(0, waiter), true, ChainRequest.by(waiter, members.time()));
    }

    /** One that has come to wait has been judged, and again by each member that it was asked for since. */
    private @Nullable MemberRequest askNext(MemberRequest before, Waiter waiter) {
        int lacking = before.lacking();
        return ask(waiter, waiter.linked ? lacking : tooSlow(lacking, waiter), true, before.chainRequest);
    }

    /** Returns the member that is known to make it wait too long, so that it hears of that at once; otherwise the usual one. */
    private int tooSlow(int usual, Waiter waiter) {
        boolean mayBeTooLate = waiter.hasMaxWait() && members.all().size() > 1;
        return mayBeTooLate
                ? members.tooSlow(usual, waiter.nanosLeft(members.time().nanoTime()), Ahead.NOTHING, waiter.permits)
                : usual;
    }

    /** Moves from the member that answered to one that still lacks permits, until all have them or one has to be waited for. */
    private long askUntilAllGrant(Waiter waiter, @Nullable MemberRequest first, long nowNanos) {
        for (MemberRequest here = first; here != null; here = askNext(here, waiter)) {
            if (here.isAwaited()) {
                return waitAt(here);
            }
            Lease answer = here.answer();
            if (answer != null && !answer.isAcquired()) {
                return refused(members.refusedBy(here.member, answer, here.chainRequest.permits()));
            }
            if (findsAll(here)) {
                outcome = new Took(here.leases());
                return PermitPolicy.TAKEN;
            }
            long wait = waitForEach(waiter, here.lacking(), nowNanos);
            if (wait != 0) {
                return wait;
            }
            hops++;
            if (hops > 2 * members.all().size()) {
                return makeRound(waiter, here.chainRequest, here.lacking(), nowNanos);
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

    /** Asks each member while holding what the others granted; the first that does not grant at once decides. */
    private long makeRound(Waiter waiter, ChainRequest chainRequest, int lastLacking, long nowNanos) {
        if (hasMadeRound) {
            outcome = new Lacks(lastLacking);
            return nextAttempt(waiter, nowNanos);
        }
        List<MemberRequest> granted = new ArrayList<>(members.all().size());
        try {
            for (int member = 0; member < members.all().size(); member++) {
                MemberRequest here = ask(waiter, member, false, chainRequest);
                Lease answer = here == null ? null : here.answer();
                if (here == null) {
                    return PermitSource.REFUSED;
                } else if (answer == null) {
                    hasMadeRound = true;
                    return waitAt(here);
                } else if (!answer.isAcquired()) {
                    return refused(members.refusedBy(member, answer, chainRequest.permits()));
                }
                granted.add(here);
            }
            outcome = new Took(granted.stream()
                    .map(MemberRequest::answer)
                    .map(Objects::requireNonNull)
                    .toList());
            granted.clear();
            return PermitPolicy.TAKEN;
        } finally {
            Every.one(granted, MemberRequest::withdraw);
        }
    }

    /** The last attempt is made when the time of the request is up. */
    private static long nextAttempt(Waiter waiter, long nowNanos) {
        long left = waiter.hasMaxWait() ? waiter.nanosLeft(nowNanos) : SOONEST_NANOS;
        return left > 0 ? Math.min(SOONEST_NANOS, left) : SOONEST_NANOS;
    }

    private long waitAt(MemberRequest here) {
        outcome = new WaitsAt(here);
        return PermitPolicy.AWAIT_SIGNAL;
    }

    /**
     * Two keys that share a limiter: one holds what the other waits for. So no place is kept, and the next attempt is made when
     * there should be enough for all. Meanwhile it is only read whether there is, as observers would hear of each attempt. If there
     * never will be, or time does not tell, the member that lacks permits refuses. Returns zero if there is enough.
     */
    private long waitForEach(Waiter waiter, int member, long nowNanos) {
        long wait = members.nanosUntilEachHas(member, waiter.permits);
        if (wait == 0) {
            return 0;
        }
        if (wait == PermitEngine.UNBOUNDED) {
            String by = members.name(member);
            return refused(RefusedLease.exhausted(waiter.permits, by, member));
        }
        outcome = new Lacks(member);
        return wait > waiter.longestWaitNanos(nowNanos) ? wait : Math.min(wait, LATEST_NANOS);
    }

    /** A closed member refuses for good: a request is refused when it asks that member, as those that waited there were. */
    private @Nullable MemberRequest ask(Waiter waiter, int member, boolean withTheRest, ChainRequest chainRequest) {
        try {
            return MemberRequest.at(members, member, withTheRest, chainRequest, longestWaitOf(waiter), wake);
        } catch (IllegalStateException thrown) {
            if (members.all().get(member).isOpen()) {
                throw thrown;
            }
            outcome = new Refused(RefusedLease.closed(chainRequest.permits(), members.name(member), member));
            return null;
        }
    }

    /** One whose time is up may have what is there at this moment; if nothing is, the chain refuses it with all others like it. */
    private long longestWaitOf(Waiter waiter) {
        long left = waiter.hasMaxWait() ? waiter.nanosLeft(members.time().nanoTime()) : PermitEngine.UNBOUNDED;
        return left > 0 ? left : PermitEngine.UNBOUNDED;
    }

    private long refused(RefusedLease lease) {
        outcome = new Refused(lease);
        return PermitSource.REFUSED;
    }

    /** Returns the leases just taken, once. */
    List<Lease> taken() {
        if (outcome instanceof Took took) {
            outcome = NOTHING;
            return took.leases();
        }
        return List.of();
    }

    /** Returns the refusal of the request that was just refused, once. */
    RefusedLease refusal() {
        if (outcome instanceof Refused refused) {
            outcome = NOTHING;
            return refused.refusal();
        }
        throw new IllegalStateException("nothing was refused");
    }

    /**
     * Returns the index of the member that makes the request wait: at which a place is kept, or which had too few permits;
     * {@link Members#NONE} if there is none. Any thread; racy.
     */
    int waitsAt() {
        return outcome.member();
    }

    /** Returns the request that waits at a member, if any. */
    @Nullable
    MemberRequest memberRequest() {
        return outcome instanceof WaitsAt waits ? waits.memberRequest() : null;
    }

    /** Returns whether a request waits at a member that knows its bound, as no other was known to make it wait too long. */
    boolean isJudgedWhereItWaits(Waiter waiter) {
        MemberRequest kept = waiter == acquiresFor ? memberRequest() : null;
        return kept != null && kept.keepsItsAge() && members.areOurs();
    }

    /** Returns whether the members may count as used already what they grant to the request that waits at one of them. */
    boolean isBeingGranted() {
        MemberRequest kept = memberRequest();
        return kept != null && kept.isBeingGranted();
    }

    /** Signals the member at which a place is kept, so that it serves its waiting requests. */
    void signalMember() {
        if (outcome instanceof WaitsAt waits) {
            members.all().get(waits.member()).signal();
        }
    }

    /**
     * Withdraws the request that waits at a member, if any: also if the member fails, or a request would wait where it is never
     * answered.
     */
    void withdraw() {
        MemberRequest kept = memberRequest();
        outcome = NOTHING;
        if (kept != null) {
            kept.withdraw();
        }
    }
}
