package dev.weir;

import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The limiters of a {@link Chain}, and what is true of all of them together.
 *
 * @param all at least one, each once
 */
record Members(List<RateLimiter> all) {

    Members {
        if (all.isEmpty()) {
            throw new IllegalArgumentException("a chain must have at least 1 limiter, but has 0");
        }
        refuseTwice(all, new HashSet<>());
    }

    /** Who waits for a limiter twice in one request would wait for itself. Those of one key are equal, not the same. */
    private static void refuseTwice(List<RateLimiter> members, Set<RateLimiter> seen) {
        for (RateLimiter member : members) {
            if (!seen.add(member)) {
                throw new IllegalArgumentException("a chain must have each limiter once, but has " + member + " twice");
            }
            if (member instanceof Chain chain) {
                refuseTwice(chain.members(), seen);
            }
        }
    }

    /** The time of the first of them, where that is known. */
    TimeSource time() {
        return all.get(0) instanceof Member first ? first.time() : TimeSource.system();
    }

    int capacity() {
        int least = Integer.MAX_VALUE;
        for (RateLimiter member : all) {
            least = Math.min(least, member.limit().capacity());
        }
        return least;
    }

    void checkOpen() {
        for (RateLimiter member : all) {
            if (member instanceof Member ours) {
                ours.checkOpen();
            }
        }
    }

    /** Tells whether a member is known to be open, as ours are: what then keeps it from answering is something else. */
    static boolean isOpen(RateLimiter member) {
        if (!(member instanceof Member ours)) {
            return false;
        }
        try {
            ours.checkOpen();
            return true;
        } catch (IllegalStateException closed) {
            return false;
        }
    }

    /** Tells whether all are ours, which can be asked from inside the drain of one of them. */
    boolean areOurs() {
        return all.stream()
                .allMatch(member -> member instanceof Chain chain ? chain.isOfOurs() : member instanceof Member);
    }

    /**
     * Takes from all members but one, or, if one has not got it, from none. Adds the leases in the order of the members, and
     * answers who has not got it, which is also who fails; {@link ChainLease#ITSELF} if all have.
     */
    int takeAllBut(int except, Asked asked, List<Lease> leases) {
        for (int member = 0; member < all.size(); member++) {
            Lease lease = member == except ? null : takeNow(all.get(member), asked);
            if (lease != null) {
                leases.add(lease);
            } else if (member != except) {
                ChainLease.putBack(leases);
                leases.clear();
                return member;
            }
        }
        return ChainLease.ITSELF;
    }

    /** Who fails is asked for a place, where that is dealt with. */
    private static @Nullable Lease takeNow(RateLimiter member, Asked asked) {
        try {
            if (member instanceof Member ours) {
                return ours.takeForChain(asked);
            }
            Lease lease = member.tryAcquire(asked.permits());
            return lease.isAcquired() ? lease : null;
        } catch (RuntimeException | Error broken) {
            return null;
        }
    }

    void addEngines(List<PermitEngine> engines) {
        all.forEach(member -> addEngines(member, engines));
    }

    private static void addEngines(RateLimiter member, List<PermitEngine> engines) {
        if (member instanceof Member ours) {
            ours.addEngines(engines);
        }
    }

    /**
     * Returns how long until there is enough for each of those that give out permits of the same limiter as a member does, as keys do
     * that share what is for all further keys: zero if no other does, {@link PermitEngine#UNBOUNDED} if there never is.
     */
    long nanosUntilEachHas(int member, int permits) {
        List<PermitEngine> engines = new ArrayList<>();
        List<PermitEngine> ofMember = new ArrayList<>();
        addEngines(engines);
        addEngines(all.get(member), ofMember);
        long longest = 0;
        for (PermitEngine engine : ofMember) {
            int sharers = Collections.frequency(engines, engine);
            longest = Math.max(longest, sharers > 1 ? engine.nanosUntilEachHas(sharers, permits) : 0);
        }
        return longest;
    }

    /** Has those who wait at a member looked after, where that can be. */
    void signal(int member) {
        if (all.get(member) instanceof Member ours) {
            ours.signal();
        }
    }

    /** As {@link Member#nanosUntil}, at a time that is so much later than the present. */
    long nanosUntil(long ahead, int permits, long laterNanos) {
        return all.stream()
                .mapToLong(member -> nanosUntil(member, ahead, permits, laterNanos))
                .max()
                .orElseThrow();
    }

    /** The least that it takes, at a time that is so much later than the present, as far as members can tell. */
    long nanosAtLeast(long ahead, int permits, long laterNanos) {
        return all.stream()
                .mapToLong(member -> nanosUntil(member, ahead, permits, laterNanos))
                .filter(nanos -> nanos != PermitEngine.UNBOUNDED)
                .max()
                .orElse(0);
    }

    /** Looks without taking where the member is one of ours, and otherwise by taking and giving back. */
    private static long nanosUntil(RateLimiter member, long ahead, int permits, long laterNanos) {
        if (member instanceof Member ours) {
            return ours.nanosUntil(ahead, permits, ours.time().nanoTime() + laterNanos);
        }
        Lease lease = member.tryAcquire(permits);
        lease.giveBack();
        return lease.isAcquired()
                ? 0
                : lease.retryAfter()
                        .map(after -> Math.max(0, after.toNanos() - laterNanos))
                        .orElse(PermitEngine.UNBOUNDED);
    }

    /** Why a request is refused that one of them refused. It would succeed when the last of all would grant it. */
    ChainLease.Refusal refusedBy(int member, Lease answer) {
        long retry = answer.retryAfter()
                .map(after -> Math.max(after.toNanos(), nanosUntil(0, Math.max(1, answer.permits()), 0)))
                .orElse(PermitEngine.UNBOUNDED);
        return new ChainLease.Refusal(
                answer.reason().orElse(RefusalReason.EXHAUSTED),
                answer.refusedBy().orElseGet(all.get(member)::name),
                member,
                answer.cause().orElse(null),
                retry,
                answer.source());
    }

    long availablePermits() {
        return all.stream().mapToLong(RateLimiter::availablePermits).min().orElseThrow();
    }

    Optional<Duration> idleDuration() {
        List<Optional<Duration>> idle =
                all.stream().map(RateLimiter::idleDuration).toList();
        return idle.stream().anyMatch(Optional::isEmpty)
                ? Optional.empty()
                : idle.stream().map(Optional::orElseThrow).min(Duration::compareTo);
    }
}
