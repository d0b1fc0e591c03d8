package dev.weir.redis;

import dev.weir.limit.PermitPolicy;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The latest answer of the store about a limit, with its times translated to the clock of this node. Immutable.
 *
 * <p>Between answers other nodes take permits, and permits return with time: what is derived from it is an estimate, exact if this
 * node is the only one.
 */
final class Knowledge {

    private final @Nullable Answer answer;

    /** How long the answer took to arrive. */
    private final long tookNanos;

    private final long atNanos;

    /** Since when the limit has been as good as new; in the future until it is. */
    private final long fullNanos;

    private final Denial denial;

    private Knowledge(@Nullable Answer answer, long tookNanos, long atNanos, long fullNanos, Denial denial) {
        this.answer = answer;
        this.tookNanos = tookNanos;
        this.atNanos = atNanos;
        this.fullNanos = fullNanos;
        this.denial = denial;
    }

    static Knowledge none(long nowNanos) {
        return new Knowledge(null, 0, nowNanos, nowNanos, Denial.NONE);
    }

    Knowledge with(Answer latest, Question question, long tookNanos, long receivedNanos) {
        boolean wasFull = fullNanos - receivedNanos <= 0 && (answer == null || answer.fullNanos() != Answer.UNKNOWN);
        long full = latest.fullNanos() == 0 && wasFull ? fullNanos : receivedNanos + Math.max(0, latest.fullNanos());
        return new Knowledge(latest, tookNanos, receivedNanos, full, Denial.of(question, latest, receivedNanos));
    }

    /** Returns this without the denial, which permits just given back or charged may have changed. */
    Knowledge withoutDenial() {
        return denial.isAny() ? new Knowledge(answer, tookNanos, atNanos, fullNanos, Denial.NONE) : this;
    }

    /** Returns what the store has denied as it answered last, unless anything has been given back or charged since. */
    Denial denial() {
        return denial;
    }

    /** Returns whether the answer arrived at that time, give or take the tolerance. */
    boolean isFresh(long nowNanos, long tolerance) {
        return answer != null && Math.abs(nowNanos - atNanos) <= tolerance;
    }

    /** Returns whether the answer arrived at that time, or later. */
    boolean hasArrivedSince(long nanos) {
        return answer != null && atNanos - nanos >= 0;
    }

    /** Returns how long the latest answer took to arrive. */
    long tookNanos() {
        return tookNanos;
    }

    long available(long otherwise) {
        return answer == null ? otherwise : answer.available();
    }

    /**
     * Returns how much longer a request that does not wait is known to be denied, zero if that is not known, and
     * {@link PermitPolicy#AWAIT_SIGNAL} if the store could not say how long. For a request larger than the denied one, returns when
     * that many permits are available.
     */
    long nanosDenied(int permits, FleetTerms terms, long nowNanos) {
        long wait = denial.nanosUntilPoll(permits, nowNanos, terms.settings().pollNanos());
        if (wait > 0 && denial.isWithoutEnd()) {
            return PermitPolicy.AWAIT_SIGNAL;
        }
        if (wait == 0 || permits == denial.permits()) {
            return wait;
        }
        long all = until(permits, terms, nowNanos);
        return all == PermitPolicy.AWAIT_SIGNAL ? wait : Math.max(wait, all);
    }

    /** Returns the same for the first waiting request; zero if it might be booked, or the answer is too old to rely on. */
    long nanosDeniedFirst(int permits, long longestNanos, long nowNanos, NodeSettings settings) {
        long wait = denial.nanosUntilPoll(permits, nowNanos, settings.pollNanos());
        if (denial.isWithoutEnd()) {
            // A poll has the drain look again before this wait is over, unless the poll's timer was rejected. A wait
            // beyond the request's longest would have the request refused.
            return longestNanos == 0 || wait == 0 ? wait : Math.min(Math.max(wait, Polls.LONGEST_NANOS), longestNanos);
        }
        boolean hasTime = wait <= bookable(longestNanos);
        if (hasTime && denial.isOutOfReach()) {
            // Asks again when half of that wait has passed, early enough to be booked: no booking is served sooner.
            return Math.max(0, wait - denial.waitNanos() / 2);
        }
        if (hasTime || !isFresh(nowNanos, settings.lifeNanos())) {
            return 0;
        }
        // If it has the time, but not that of an answer on top, it asks again once this is old: then it is booked or
        // refused.
        return wait > longestNanos ? wait : Math.min(wait, atNanos + settings.lifeNanos() + 1 - nowNanos);
    }

    /** Returns how far ahead to book for a request with that longest wait: less the time of an answer, assumed twice the last. */
    long bookable(long longestNanos) {
        return longestNanos == Long.MAX_VALUE ? longestNanos : Math.max(0, longestNanos - 2 * tookNanos);
    }

    long untilFirst(long nowNanos) {
        return answer == null || answer.available() > 0 ? 0 : left(answer.nextNanos(), nowNanos);
    }

    /** Returns how long until any permit is available, {@link PermitPolicy#AWAIT_SIGNAL} if that is not known. */
    long untilAny(long nowNanos) {
        return answer == null ? PermitPolicy.AWAIT_SIGNAL : untilFirst(nowNanos);
    }

    /** Returns how long until a request for that many permits could succeed: between the first and the last, by interpolation. */
    long until(int permits, FleetTerms terms, long nowNanos) {
        if (answer == null || permits <= answer.available()) {
            return 0;
        }
        return answer.nextNanos() == Answer.UNKNOWN
                ? PermitPolicy.AWAIT_SIGNAL
                : left(between(firstMissing(answer), permits, terms.capacity()), nowNanos);
    }

    private static long firstMissing(Answer known) {
        return Math.max(0, known.available()) + 1;
    }

    /** Interpolates linearly between the first missing permit and the last. */
    private long between(long first, long permits, int capacity) {
        Answer known = Objects.requireNonNull(answer, "answer");
        long steps = capacity - first;
        if (steps <= 0 || permits >= capacity || known.largestNanos() == Answer.UNKNOWN) {
            return Math.max(known.nextNanos(), known.largestNanos());
        }
        long whole = known.largestNanos() - known.nextNanos();
        long step = permits - first;
        return known.nextNanos() + whole / steps * step + (whole % steps * step + steps - 1) / steps; // rounded up
    }

    /**
     * Returns the least wait behind so many requests, whose {@code ahead} permits are taken one by one: what the limit imposes in any
     * state, or more if the latest answer says so.
     */
    long atLeast(long requestsAhead, long ahead, int permits, FleetTerms terms, long nowNanos) {
        long denied = ahead > 0 ? 0 : denial.nanosLeft(permits, nowNanos);
        long least = Math.max(denied, terms.supply().nanosAtLeast(requestsAhead, ahead, permits));
        return answer == null || ahead + permits <= answer.available()
                ? least
                : Math.max(least, left(nanosByAnswer(answer, requestsAhead, ahead, permits, terms), nowNanos));
    }

    /** The answer tells of the first permit that is missing, and of the largest request: later ones come no sooner after either. */
    private static long nanosByAnswer(Answer known, long requestsAhead, long ahead, int permits, FleetTerms terms) {
        Supply supply = terms.supply();
        int capacity = terms.capacity();
        long wait = known.nextNanos() <= 0
                ? 0
                : plus(known.nextNanos(), supply.nanosAfter(firstMissing(known), requestsAhead, ahead, permits));
        boolean isAsLarge = ahead + permits >= capacity && (ahead == 0 || supply.isSameOneByOne());
        return isAsLarge && known.largestNanos() > 0
                ? Math.max(wait, plus(known.largestNanos(), supply.nanosAfter(capacity, requestsAhead, ahead, permits)))
                : wait;
    }

    private static long plus(long nanos, long more) {
        return Math.min(nanos, PermitPolicy.AWAIT_SIGNAL - 1 - more) + more;
    }

    private long left(long durationNanos, long nowNanos) {
        return durationNanos == Answer.UNKNOWN
                ? PermitPolicy.AWAIT_SIGNAL
                : Math.max(0, durationNanos - (nowNanos - atNanos));
    }

    /** Returns how long until the limit is as good as new, not counting permits that others hold and only a release brings back. */
    long untilFull(long nowNanos) {
        return Math.max(0, fullNanos - nowNanos);
    }

    long sinceFull(long nowNanos) {
        return Math.max(0, nowNanos - fullNanos);
    }
}
