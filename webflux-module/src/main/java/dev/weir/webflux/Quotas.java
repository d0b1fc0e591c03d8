package dev.weir.webflux;

import dev.weir.limit.Limit;
import java.util.List;
import java.util.stream.Stream;

/**
 * The quotas that a server announces, and the limits that keep to all of them. Immutable.
 *
 * <p>An exact or segmented window and a steadily refilled bucket keep to a quota in any window of that quota's length. Fixed windows,
 * the counter and buckets that are refilled in steps are changed as exact windows are, but may let more into such a window.
 *
 * @param all at least one
 */
record Quotas(List<Rate> all) {

    /*
     * A window of m permits in a period T admits m * ceil(W / T) within a window W: more than its rate tells, unless T divides W. So 10
     * in 10 s admit 20 within 11 s. It keeps to a quota of q in W if T is no shorter than W / floor(q / m). Hence each number of permits
     * up to the least quota has a shortest period that keeps to all quotas, and what remains is to choose the number. Rounding may
     * cost much of the rate: 10 permits of 15 in 15 s take all of the 15 s. It costs nothing of the slowest quota with m = 1.
     *
     * A bucket of the burst b, refilled at the rate r, admits b - 1 + ceil(r * W) within W. It keeps to a quota of q in W if burst and
     * refill share it. Without a burst, b = 1, the rate can be all of it, q / W; otherwise the burst costs up to a tenth of the rate.
     */

    /** Returns the configured limit, with a smaller burst if necessary, if it keeps to all quotas; otherwise a slower one. */
    Limit bound(Limit meant, Rate own, int leastPercent) {
        return Rate.isSteady(meant) ? bucket(meant, own, leastPercent) : window(meant, own, leastPercent);
    }

    /** Returns a bucket at nearly the slowest rate, or at its own, with as much of its burst as all quotas leave beside that. */
    private Limit bucket(Limit meant, Rate own, int leastPercent) {
        Rate nearly = slowest().inATenthMoreTime();
        long burst = Math.min(Rate.burstOf(meant), burstBeside(nearly));
        Rate bounded = all.stream().map(quota -> quota.beside(burst)).reduce(own, Rate::slowerOf);
        Rate rate = least(own, leastPercent).fasterOf(bounded.noLongerThan(own.nanos()));
        return rate.applyTo(meant, Math.max(1, burstBeside(rate)));
    }

    /** Returns the least rate, rounded up, but not so that rounding alone exceeds a quota. */
    private Rate least(Rate own, int leastPercent) {
        Rate roundedUp = own.percentOrMore(leastPercent);
        return slowest().isLessThan(leastPercent, own) ? roundedUp : roundedUp.slowerOf(slowest());
    }

    /** Returns the burst that a rate leaves; not positive if the rate alone exceeds a quota. */
    private long burstBeside(Rate rate) {
        return all.stream()
                .mapToLong(quota -> quota.permits() + 1L - rate.permitsIn(quota.nanos()))
                .min()
                .orElseThrow();
    }

    private Limit window(Limit meant, Rate own, int leastPercent) {
        long unused = unusedBy(own);
        if (unused >= 0) {
            return own.applyTo(meant, own.permits() + unused);
        }
        boolean grantsTooLittle = slowest().isLessThan(leastPercent, own);
        Rate slowed = grantsTooLittle ? own.percentOrMore(leastPercent) : slowed(own, leastPercent);
        return slowed.applyTo(meant, slowed.permits());
    }

    /** Returns how many permits a window leaves of each quota at least; negative if it does not keep to one. */
    private long unusedBy(Rate window) {
        return all.stream()
                .mapToLong(quota -> quota.permits() - window.mostIn(quota.nanos()))
                .min()
                .orElseThrow();
    }

    /**
     * Returns a rate that exceeds neither these quotas nor the configured limit in a window of theirs. It has as many permits as
     * become available in the configured period, but no more than the least quota; or half of them, and so on, if those would cost
     * more than a tenth of the slowest, or more than the least rate allows.
     */
    private Rate slowed(Rate own, int leastPercent) {
        Quotas both = with(own);
        Rate slowest = both.slowest();
        int permits = Math.min(slowest.permitsIn(own.nanos()), both.fewest());
        Rate found = both.fastest(permits);
        while (permits > 1 && (found.isLessThan(90, slowest) || found.isLessThan(leastPercent, own))) {
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

    private int fewest() {
        return all.stream().mapToInt(Rate::permits).min().orElseThrow();
    }
}
