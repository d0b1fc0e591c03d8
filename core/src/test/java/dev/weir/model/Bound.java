package dev.weir.model;

import dev.weir.limit.AllOf;
import dev.weir.limit.Concurrency;
import dev.weir.limit.FixedWindow;
import dev.weir.limit.LeakyBucket;
import dev.weir.limit.Limit;
import dev.weir.limit.SlidingWindowLog;
import dev.weir.limit.TokenBucket;
import java.util.List;

/** The most that each limit promises to admit, from the first of its sentences that says so, against what was used. */
final class Bound {

    private Bound() {}

    /** So many permits, used at that time. */
    record Use(long at, int permits) {}

    /** Whether grants under an earlier limit count, too; in the exact window alone they do, to the permit. */
    static boolean countsAllThereEverWas(Limit limit) {
        return limit instanceof SlidingWindowLog;
    }

    static boolean returnsOnRelease(Limit limit) {
        return limit instanceof Concurrency
                || (limit instanceof AllOf several && several.limits().stream().anyMatch(Bound::returnsOnRelease));
    }

    /** Says by how much the uses up to the last exceed the limit; empty if they do not. */
    static String exceeded(Limit limit, List<Use> uses, long held) {
        if (limit instanceof AllOf several) {
            return several.limits().stream()
                    .map(member -> exceeded(member, uses, held))
                    .filter(exceeded -> !exceeded.isEmpty())
                    .findFirst()
                    .orElse("");
        }
        if (limit instanceof Concurrency concurrency) {
            return held > concurrency.permits() ? held + " permits are out of " + limit : "";
        }
        Use last = uses.get(uses.size() - 1);
        long sum = 0;
        // Of several at one instant, any may have been decided last.
        int lastPermits = uses.stream()
                .filter(use -> use.at() == last.at())
                .mapToInt(Use::permits)
                .max()
                .orElseThrow();
        for (int first = uses.size() - 1; first >= 0; first--) {
            long apart = last.at() - uses.get(first).at();
            boolean isWithinPeriod = limit instanceof SlidingWindowLog log
                    && apart < log.period().toNanos();
            sum += uses.get(first).permits();
            if ((isWithinPeriod || !countsAllThereEverWas(limit)) && sum > most(limit, apart, lastPermits)) {
                return sum + " permits of " + limit + " were used within " + apart + " up to " + last;
            }
        }
        return "";
    }

    private static long most(Limit limit, long apart, int lastPermits) {
        if (limit instanceof SlidingWindowLog log) {
            return log.permits();
        } else if (limit instanceof TokenBucket bucket) {
            long counted = bucket.capacity() == 1 ? apart + 1 : apart;
            return bucket.capacity()
                    + counted * bucket.refillTokens() / bucket.refillPeriod().toNanos();
        } else if (limit instanceof LeakyBucket bucket) {
            long counted = bucket.slack() == 0 ? apart + 1 : apart;
            return bucket.slack() + counted * bucket.permits() / bucket.period().toNanos() + lastPermits;
        } else if (limit instanceof FixedWindow window) {
            long length = window.window().toNanos();
            return window.permits() * (apart == 0 ? 1 : (apart + length - 1) / length + 1);
        }
        throw new IllegalArgumentException("no bound of " + limit);
    }
}
