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
    long tryTake(int permits) {
        Place held = place;
        if (held != null && held.permits != permits) {
            standBack();
            held = null;
        }
        if (held != null && held.answer() == null) {
            return PermitPolicy.AWAIT_SIGNAL;
        }
        place = null;
        List<Place> asked = new ArrayList<>(members.all().size());
        try {
            return askAll(permits, held, asked);
        } catch (RuntimeException | Error broken) {
            try {
                standBack();
            } finally {
                withdraw(asked, held);
            }
            throw broken;
        }
    }

    private long askAll(int permits, @Nullable Place held, List<Place> asked) {
        for (int member = 0; member < members.all().size(); member++) {
            Place here = held != null && held.member == member ? held : ask(member, permits);
            if (here == null) {
                withdraw(asked, held);
                return refused(
                        ChainLease.Refusal.closed(members.all().get(member).name(), member));
            }
            Lease answer = here.answer();
            if (answer == null || !answer.isAcquired()) {
                place = answer == null ? here : null; // kept from now on, whatever the others throw
                withdraw(asked, held == here ? null : held);
                return answer == null ? PermitPolicy.AWAIT_SIGNAL : refused(members.refusedBy(member, answer));
            }
            asked.add(here);
        }
        taken = asked.stream().map(Place::answer).map(Objects::requireNonNull).toList();
        return PermitPolicy.TAKEN;
    }

    /** A closed member refuses for good; who was already waiting here learns that as who waits there does. */
    private @Nullable Place ask(int member, int permits) {
        RateLimiter limiter = members.all().get(member);
        try {
            return Place.at(limiter, member, permits, wake);
        } catch (IllegalStateException thrown) {
            if (Members.isOpen(limiter)) {
                throw thrown;
            }
            return null;
        }
    }

    private static void withdraw(List<Place> asked, @Nullable Place held) {
        try {
            Every.one(asked, Place::withdraw);
        } finally {
            if (held != null) {
                held.withdraw();
            }
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
