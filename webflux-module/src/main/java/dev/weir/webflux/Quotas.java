package dev.weir.webflux;

import dev.weir.limit.Limit;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The quotas that a server announces, and the limits that keep to all of them. Immutable.
 *
 * <p>An exact window and a steadily refilled bucket keep to a quota in any window of that quota's length. Windows of other kinds, of
 * which a bucket that is refilled in steps is one, are changed as exact ones are, but count in windows of their own.
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
        Rate least = own.percentOrMore(leastPercent);
        return Rate.isSteady(meant) ? bucket(meant, own, least) : window(meant, own, least);
    }

    /** Returns a bucket at nearly the slowest rate, or at its own, with as much of its burst as all quotas leave beside that. */
    private Limit bucket(Limit meant, Rate own, Rate least) {
        Rate nearly = slowest().inATenthMoreTime();
        long burst = Math.min(Rate.burstOf(meant), burstBeside(nearly));
        Rate bounded = all.stream().map(quota -> quota.beside(burst)).reduce(own, Rate::slowerOf);
        Rate rate = least.fasterOf(bounded.equals(own) ? own : bounded.noLongerThan(own.nanos()));
        return rate.applyTo(meant, Math.max(1, burstBeside(rate)));
    }

    /** Returns the burst that a rate leaves; not positive if the rate alone exceeds a quota. */
    private long burstBeside(Rate rate) {
        return all.stream()
                .mapToLong(quota -> quota.permits() + 1L - rate.permitsIn(quota.nanos()))
                .min()
                .orElseThrow();
    }

    private Limit window(Limit meant, Rate own, Rate least) {
        boolean keepsToAll = own.permits() <= fewest().permits()
                && with(own).fastest(own.permits()).equals(own);
        if (keepsToAll) {
            return own.applyTo(meant, own.permits() + unusedBy(own));
        }
        Rate slowed = least.fasterOf(slowed(own, least));
        return slowed.applyTo(meant, slowed.permits());
    }

    /** Returns how many permits a window that keeps to all quotas leaves of each at least. */
    private long unusedBy(Rate window) {
        return all.stream()
                .mapToLong(quota -> quota.permits() - window.permits() * ((quota.nanos() - 1) / window.nanos() + 1))
                .min()
                .orElseThrow();
    }

    /**
     * Returns a rate that exceeds neither these quotas nor the configured limit in a window of theirs. It has as many permits as fit
     * into the shorter of the configured period and that of the fewest permits; or half of them, and so on, if those would cost more
     * than a tenth of the slowest, or more than the least rate allows.
     */
    private Rate slowed(Rate own, Rate least) {
        Quotas both = with(own);
        Rate slowest = both.slowest();
        long period = Math.min(own.nanos(), fewest().nanos());
        int permits = Math.min(slowest.permitsIn(period), both.fewest().permits());
        Rate found = both.fastest(permits);
        while (permits > 1 && (!found.isNearly(slowest) || least.isFasterThan(found))) {
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
