package dev.weir;

import dev.weir.limit.PermitPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link Chain} asks its members for on behalf of one who waits in its queue: permits of all of them, or a place in the
 * queue of the one that makes it wait. Used inside the drain only.
 */
final class Errand {

    /** Who comes back sooner than that would only spin. */
    private static final long SOONEST_NANOS = 1_000_000;

    private final Members members;
    private final Runnable wake;

    private @Nullable Place place;

    /** For whom that is kept. */
    private @Nullable Waiter runsFor;

    /** Whether all were asked for that one the last time that none gave way. */
    private boolean hasAskedEach;

    private List<Lease> taken = List.of();
    private ChainLease.@Nullable Refusal refusal;

    Errand(Members members, Runnable wake) {
        this.members = members;
        this.wake = wake;
    }

    /** Answers as {@link PermitSource#tryTake}. */
    long tryTake(Waiter waiter) {
        if (waiter != runsFor) {
            standBack(); // what somebody else asked for, who has left, has another age
            hasAskedEach = false;
        }
        Place held = place;
        place = null;
        long wait = goOn(held == null ? ask(0, true, Asked.by(waiter, members.time())) : held);
        runsFor = place == null ? null : waiter;
        return wait;
    }

    /** Goes from the member that has answered to one that still lacks permits, until all have them or one has to be waited for. */
    private long goOn(@Nullable Place asked) {
        int hopsLeft = 2 * members.all().size();
        for (Place here = asked; here != null; here = ask(here.lacking(), true, here.asked)) {
            if (here.isAwaited()) {
                return keep(here);
            }
            Lease answer = here.answer();
            if (answer != null && !answer.isAcquired()) {
                return refused(members.refusedBy(here.member, answer));
            }
            if (findsAll(here)) {
                taken = here.leases();
                return PermitPolicy.TAKEN;
            }
            long untilEachHas = members.nanosUntilEachHas(here.lacking(), here.asked.permits());
            if (untilEachHas > 0) {
                return comeBack(untilEachHas, here.lacking());
            }
            if (hopsLeft-- == 0) {
                return askEach(here.asked);
            }
        }
        return PermitSource.REFUSED;
    }

    /** Of a place that does not, nothing is left. */
    private static boolean findsAll(Place here) {
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
     * Each member has permits while another has not, as where two keys have room for one: each is asked while what the others gave is
     * held, and the first that does not grant at once decides. Where that one waits for what the others have, unseen, who kept a
     * place there would get it back from itself, and be here again: it comes back later.
     */
    private long askEach(Asked asked) {
        if (hasAskedEach) {
            return SOONEST_NANOS;
        }
        List<Place> granted = new ArrayList<>(members.all().size());
        try {
            for (int member = 0; member < members.all().size(); member++) {
                Place here = ask(member, false, asked);
                Lease answer = here == null ? null : here.answer();
                if (here == null) {
                    return PermitSource.REFUSED;
                } else if (answer == null) {
                    hasAskedEach = true;
                    return keep(here);
                } else if (!answer.isAcquired()) {
                    return refused(members.refusedBy(member, answer));
                }
                granted.add(here);
            }
            taken = granted.stream()
                    .map(Place::answer)
                    .map(Objects::requireNonNull)
                    .toList();
            granted.clear();
            return PermitPolicy.TAKEN;
        } finally {
            Every.one(granted, Place::withdraw);
        }
    }

    private long keep(Place here) {
        place = here;
        return PermitPolicy.AWAIT_SIGNAL;
    }

    /**
     * Two keys that share a limiter: what one has is what the other waits for, so nothing is kept, and who waits comes back when there
     * should be enough for all. Where there never is, or time does not tell, that is a refusal.
     */
    private long comeBack(long untilEachHas, int member) {
        return untilEachHas == PermitEngine.UNBOUNDED
                ? refused(ChainLease.Refusal.exhausted(members.all().get(member).name(), member))
                : untilEachHas;
    }

    /** A closed member refuses for good; who was already waiting here learns that as who waits there does. */
    private @Nullable Place ask(int member, boolean withTheRest, Asked asked) {
        RateLimiter limiter = members.all().get(member);
        try {
            return Place.at(members, member, withTheRest, asked, wake);
        } catch (IllegalStateException thrown) {
            if (Members.isOpen(limiter)) {
                throw thrown;
            }
            refusal = ChainLease.Refusal.closed(limiter.name(), member);
            return null;
        }
    }

    private long refused(ChainLease.Refusal why) {
        refusal = why;
        return PermitSource.REFUSED;
    }

    /** Returns the leases of what was taken right before, once. */
    List<Lease> taken() {
        List<Lease> leases = taken;
        taken = List.of();
        return leases;
    }

    /** Returns why it was refused right before, once. */
    ChainLease.Refusal refusal() {
        ChainLease.Refusal why = Objects.requireNonNull(refusal, "refusal");
        refusal = null;
        return why;
    }

    /** Returns the member at which a place is kept, {@link ChainLease#ITSELF} if there is none. */
    int waitsAt() {
        return place == null ? ChainLease.ITSELF : place.member;
    }

    /** Returns the place that is kept, if any. */
    @Nullable
    Place place() {
        return place;
    }

    /** Has the member at which a place is kept look after those who wait there. */
    void hurry() {
        if (place != null) {
            members.signal(place.member);
        }
    }

    /** Gives up the place that is kept, if any: also if the member throws, or one would wait where nobody answers. */
    void standBack() {
        Place kept = place;
        place = null;
        if (kept != null) {
            kept.withdraw();
        }
    }
}
