package dev.weir;

import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The limiters of a {@link Chain}, and operations on all of them together.
 *
 * @param all at least one, each once
 */
record Members(List<Member> all) {

    /** In place of the index of a member: none is excepted, none lacks permits; of a refusal: the chain itself refused. */
    static final int NONE = -1;

    Members {
        if (all.isEmpty()) {
            throw new IllegalArgumentException("a chain must have at least 1 limiter, but has 0");
        }
        refuseTwice(all, new HashSet<>());
    }

    static Members of(RateLimiter... limiters) {
        Objects.requireNonNull(limiters, "limiters");
        Member[] members = new Member[limiters.length];
        for (int i = 0; i < members.length; i++) {
            RateLimiter limiter = limiters[i];
            if (limiter == null) {
                throw new NullPointerException("limiters[" + i + "]");
            }
            members[i] = Member.of(limiter);
        }
        return new Members(List.of(members));
    }

    /** A request that waits for a limiter twice would wait for itself. Limiters of one key are equal, but not identical. */
    private static void refuseTwice(List<Member> members, Set<RateLimiter> seen) {
        for (Member member : members) {
            if (!seen.add(member.limiter())) {
                throw new IllegalArgumentException(
                        "a chain must have each limiter once, but has " + member.limiter() + " twice");
            }
            if (member instanceof Chain chain) {
                refuseTwice(chain.members().all(), seen);
            }
        }
    }

    Stream<RateLimiter> limiters() {
        return all.stream().map(Member::limiter);
    }

    String name(int member) {
        return all.get(member).limiter().name();
    }

    /** Returns the time source of the first member that tells one, or the system's. */
    TimeSource time() {
        Member first = firstThatTellsTime();
        return first == null ? TimeSource.system() : first.time();
    }

    /** Returns whether one of them tells its time source. */
    boolean tellTime() {
        return firstThatTellsTime() != null;
    }

    private @Nullable Member firstThatTellsTime() {
        for (Member member : all) {
            if (member.tellsTime()) {
                return member;
            }
        }
        return null;
    }

    int capacity() {
        int least = Integer.MAX_VALUE;
        for (Member member : all) {
            least = Math.min(least, member.limiter().limit().capacity());
        }
        return least;
    }

    /** Returns the index of the first member that can never grant so many permits, or {@link #NONE} if all can. */
    int firstSmallerThan(int permits) {
        for (int member = 0; member < all.size(); member++) {
            if (isSmallerThan(permits, all.get(member).limiter())) {
                return member;
            }
        }
        return NONE;
    }

    /** A member that fails is not named for that: the request is refused all the same, by the chain. */
    private static boolean isSmallerThan(int permits, RateLimiter member) {
        try {
            return member.limit().capacity() < permits;
        } catch (Throwable broken) {
            return false;
        }
    }

    void checkOpen() {
        for (Member member : all) {
            member.checkOpen();
        }
    }

    /** Returns whether all members are limiters of this library, which can be called from inside the drain of one of them. */
    boolean areOurs() {
        return all.stream().allMatch(Member::isOurs);
    }

    /**
     * Takes permits from all members but one, or from none if one of them has not enough or fails. Adds the leases in the order
     * of the members. Returns the index of the member that had not enough or failed, or {@link #NONE} if all granted.
     */
    int takeAllBut(int except, ChainRequest chainRequest, List<Lease> leases) {
        for (int member = 0; member < all.size(); member++) {
            Lease lease = member == except ? null : takeNow(all.get(member), chainRequest);
            if (lease != null) {
                leases.add(lease);
            } else if (member != except) {
                ChainLease.putBack(leases);
                leases.clear();
                return member;
            }
        }
        return NONE;
    }

    /** A member that fails counts as having no permits: it is then asked for a place, and that call handles the failure. */
    private static @Nullable Lease takeNow(Member member, ChainRequest chainRequest) {
        try {
            return member.takeForChain(chainRequest);
        } catch (Throwable broken) {
            return null;
        }
    }

    void addEngines(List<PermitEngine> engines) {
        all.forEach(member -> member.addEngines(engines));
    }

    /**
     * Returns how long until there are enough permits for all members that draw on the same limiter as a given member, as keys do
     * that share the limiter of all further keys: zero if no other member does, {@link PermitEngine#UNBOUNDED} if there are never
     * enough.
     */
    long nanosUntilEachHas(int member, int permits) {
        List<PermitEngine> ofMember = new ArrayList<>();
        all.get(member).addEngines(ofMember);
        return nanosUntilEachHas(ofMember, engines(), permits);
    }

    private List<PermitEngine> engines() {
        List<PermitEngine> engines = new ArrayList<>();
        addEngines(engines);
        return engines;
    }

    private static long nanosUntilEachHas(List<PermitEngine> ofSome, List<PermitEngine> ofAll, int permits) {
        long longest = 0;
        for (PermitEngine engine : ofSome) {
            int sharers = Collections.frequency(ofAll, engine);
            longest = Math.max(longest, sharers > 1 ? engine.nanosUntilEachHas(sharers, permits) : 0);
        }
        return longest;
    }

    /** Returns how long until every limiter on which several members draw has enough for all of these. */
    long nanosUntilAllHave(int permits) {
        List<PermitEngine> engines = engines();
        return nanosUntilEachHas(engines, engines, permits);
    }

    /** As {@link BuiltInLimiter#nanosUntil}, the longest of all members, {@code laterNanos} after the present. */
    long nanosUntil(long ahead, int permits, long laterNanos) {
        return all.stream()
                .mapToLong(member -> member.waitFrom(laterNanos, ahead, permits))
                .max()
                .orElseThrow();
    }

    /** As {@link BuiltInLimiter#nanosUntilAsKnown}, the longest of all members, {@code laterNanos} after the present. */
    long nanosUntilAsKnown(int permits, long laterNanos) {
        return all.stream()
                .mapToLong(member -> member.knownWaitFrom(laterNanos, permits))
                .max()
                .orElseThrow();
    }

    /** As {@link BuiltInLimiter#nanosAtLeast}, the longest of all members, {@code laterNanos} after the present. */
    long nanosAtLeast(Ahead ahead, int permits, long laterNanos) {
        return all.stream()
                .mapToLong(member -> member.leastWaitFrom(laterNanos, ahead, permits))
                .max()
                .orElseThrow();
    }

    /**
     * Returns the index of the member that is known to make a request behind others wait longest, if that is longer than the request
     * may wait. Otherwise, and if {@code usual} takes as long, returns that, which may be {@link #NONE}.
     */
    int tooSlow(int usual, long leftNanos, Ahead ahead, int permits) {
        int slowest = usual;
        long longest = usual == NONE ? leftNanos : Math.max(leftNanos, knownWait(usual, ahead, permits));
        for (int member = 0; member < all.size(); member++) {
            long wait = member == usual ? 0 : knownWait(member, ahead, permits);
            if (wait > longest) {
                longest = wait;
                slowest = member;
            }
        }
        return slowest;
    }

    /** Returns how long at least a member makes a request wait; zero if that is not known without taking permits, or if it fails. */
    private long knownWait(int member, Ahead ahead, int permits) {
        Member asked = all.get(member);
        try {
            return asked.isOurs() ? asked.leastWaitFrom(0, ahead, Math.max(1, permits)) : 0;
        } catch (Throwable broken) {
            return 0; // it says so when it is asked
        }
    }

    /** As {@link BuiltInLimiter#nanosUntilFirst}, of one member; zero if that is not known. */
    long nanosUntilFirst(int member) {
        return member == NONE ? 0 : all.get(member).nanosUntilFirst();
    }

    /**
     * Builds the chain's refusal of a request for so many permits from that of one member. A retry would succeed when the last of
     * all members would grant it, as far as they know: one may still be asking a store.
     */
    RefusedLease refusedBy(int member, Lease answer, int permits) {
        long retry = nanosUntilRetry(nanosToldBy(answer), permits);
        return new RefusedLease(
                permits,
                answer.reason().orElse(RefusalReason.EXHAUSTED),
                answer.refusedBy().orElseGet(() -> name(member)),
                member,
                answer.cause().orElse(null),
                retry,
                answer.source());
    }

    /** A limiter of somebody else's may tell more nanoseconds than a {@code long} holds. */
    static long nanosToldBy(Lease refusal) {
        return refusal.retryAfter().map(TimeUnit.NANOSECONDS::convert).orElse(PermitEngine.UNBOUNDED);
    }

    /** As {@link #refusedBy} tells it, for a request that the chain refuses for the wait at a member. If one fails, none is told. */
    long nanosUntilRetryAt(int member, int permits) {
        try {
            long told = all.get(member).knownWaitFrom(0, Math.max(1, permits));
            return told == 0 || permits > capacity() ? PermitEngine.UNBOUNDED : nanosUntilRetry(told, permits);
        } catch (Throwable broken) {
            return PermitEngine.UNBOUNDED; // the refusal must be delivered all the same
        }
    }

    /** One that refuses without a time may refuse at any later time, too; others that tell none do not hide what is known. */
    private long nanosUntilRetry(long toldNanos, int permits) {
        return toldNanos == PermitEngine.UNBOUNDED ? toldNanos : Math.max(toldNanos, longestTold(permits));
    }

    private long longestTold(int permits) {
        long longest = nanosUntilAllHave(permits);
        for (int member = 0; member < all.size(); member++) {
            long wait = all.get(member).knownWaitFrom(0, Math.max(1, permits));
            longest = Math.max(
                    longest, wait == PermitEngine.UNBOUNDED ? knownWait(member, Ahead.NOTHING, permits) : wait);
        }
        return longest;
    }

    long availablePermits() {
        return limiters().mapToLong(RateLimiter::availablePermits).min().orElseThrow();
    }

    Optional<Duration> idleDuration() {
        List<Optional<Duration>> idle =
                limiters().map(RateLimiter::idleDuration).toList();
        return idle.stream().anyMatch(Optional::isEmpty)
                ? Optional.empty()
                : idle.stream().map(Optional::orElseThrow).min(Duration::compareTo);
    }
}
