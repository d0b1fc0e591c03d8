package dev.weir;

import dev.weir.limit.PermitPolicy;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link Chain} asks its members for on behalf of one who waits in its queue: permits of all of them, or a place in the
 * queue of the one that makes it wait. Used inside the drain only.
 */
final class Errand {

    private final Members members;
    private final Runnable wake;

    private @Nullable Place place;
    private List<Lease> taken = List.of();
    private ChainLease.@Nullable Refusal refusal;

    Errand(Members members, Runnable wake) {
        this.members = members;
        this.wake = wake;
    }

    /** Answers as {@link PermitSource#tryTake}. */
    long tryTake(Waiter waiter) {
        Place held = place;
        if (held != null && held.asked.permits() != waiter.permits) {
            standBack();
            held = null;
        }
        place = null;
        return goOn(held == null ? ask(0, Asked.by(waiter, members.time())) : held);
    }

    /** From the place that has been asked for, to the member that has none if the answer is there: each time another has. */
    private long goOn(@Nullable Place asked) {
        Place here = asked;
        while (here != null) {
            if (here.isAwaited()) {
                place = here;
                return PermitPolicy.AWAIT_SIGNAL;
            }
            Lease answer = here.answer();
            if (answer != null && !answer.isAcquired()) {
                return refused(members.refusedBy(here.member, answer));
            }
            if (answer != null && here.findsTheRest()) {
                taken = here.leases(answer);
                return PermitPolicy.TAKEN;
            }
            here.withdraw();
            here = ask(here.lacking(), here.asked);
        }
        return PermitSource.REFUSED;
    }

    /** A closed member refuses for good; who was already waiting here learns that as who waits there does. */
    private @Nullable Place ask(int member, Asked asked) {
        RateLimiter limiter = members.all().get(member);
        try {
            members.prepare();
            return Place.at(members, member, asked, wake);
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
