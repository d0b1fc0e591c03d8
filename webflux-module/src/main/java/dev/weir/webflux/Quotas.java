package dev.weir.webflux;

import dev.weir.limit.Limit;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The quotas that a server announces, and the limits that keep to all of them. Immutable.
 *
 * <p>An exact window keeps to a quota in any window of that quota's length. Windows of other kinds are treated alike, but count in
 * windows of their own.
 *
 * @param all at least one
 */
record Quotas(List<Rate> all) {

    /*
     * A window of m permits in a period T admits m * ceil(W / T) within a window W: more than its rate tells, unless T divides W. So 10
     * in 10 s admit 20 within 11 s. It keeps to a quota of q in W if T is no shorter than W / floor(q / m). Hence each number of permits
     * up to the least quota has a shortest period that keeps to all quotas, and what remains is to choose the number. Rounding may
     * cost much of the rate: 10 permits of 15 in 15 s take all of the 15 s. It costs nothing of the slowest quota with m = 1.
     */

    /** Returns the configured limit, with a smaller burst if necessary, if it keeps to all quotas; otherwise a slower one. */
    Limit bound(Limit meant, Rate own, int leastPercent) {
        Rate least = own.percentOrMore(leastPercent);
        return asMeant(meant, own).orElseGet(() -> least.fasterOf(slowed(own)).applyTo(meant));
    }

    private Optional<Limit> asMeant(Limit meant, Rate own) {
        return keepsTo(meant, own) ? Rate.withBurst(meant, fewest().permits()) : Optional.empty();
    }

    private boolean keepsTo(Limit meant, Rate own) {
        if (Rate.isOfBucket(meant)) {
            return !own.isFasterThan(slowest());
        }
        return own.permits() <= fewest().permits()
                && with(own).fastest(own.permits()).equals(own);
    }

    /**
     * Returns a rate that exceeds neither these quotas nor the configured limit in a window of theirs. It has as many permits as fit
     * into the shorter of the configured period and that of the fewest permits; or half of them, and so on, if those would cost more
     * than a tenth of the slowest.
     */
    private Rate slowed(Rate own) {
        Quotas both = with(own);
        Rate slowest = both.slowest();
        long period = Math.min(own.nanos(), fewest().nanos());
        int permits = Math.min(slowest.permitsIn(period), both.fewest().permits());
        Rate found = both.fastest(permits);
        while (permits > 1 && !found.isNearly(slowest)) {
            permits /= 2;
            found = both.fastest(permits);
        }
        return found;
    }

    private Quotas with(Rate further) {
        return new Quotas(Stream.concat(all.stream(), Stream.of(further)).toList());
    }

    /** Returns the shortest period in which a number of permits, at most the least quota, keeps to all quotas. */
    private Rate fastest(int permits) {
        long nanos = all.stream()
                .mapToLong(quota -> quota.nanosOfOneIn(quota.permits() / permits))
                .max()
                .orElseThrow();
        return new Rate(permits, nanos);
    }

    private Rate slowest() {
        return all.stream().reduce(Rate::slowerOf).orElseThrow();
    }

    /** Returns the quota with the fewest permits, of several such quotas the one with the longest window. */
    private Rate fewest() {
        return all.stream()
                .min(Comparator.comparingInt(Rate::permits).thenComparing(Rate::nanos, Comparator.reverseOrder()))
                .orElseThrow();
    }
}
