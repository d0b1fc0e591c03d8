package dev.weir.model;

import dev.weir.Lease;
import dev.weir.RateLimiterStatistics;
import dev.weir.RefusalReason;

/** What users and observers hear, in words that can be compared. */
final class Heard {

    private Heard() {}

    static String at(long elapsed, String what) {
        return "at " + elapsed + ": " + what;
    }

    static String answer(int who, Lease lease) {
        return lease.isAcquired()
                ? granted(who, lease.permits())
                : refusal(
                        who,
                        lease.permits(),
                        lease.reason().orElseThrow(),
                        lease.retryAfter().isEmpty()
                                ? LimitModel.NEVER
                                : lease.retryAfter().get().toNanos());
    }

    static String granted(int who, int permits) {
        return "request " + who + " granted " + permits;
    }

    static String refusal(int who, int permits, RefusalReason reason, long retryNanos) {
        return "request " + who + " refused " + permits + ", " + reason
                + (retryNanos == LimitModel.NEVER ? "" : ", retry after " + retryNanos);
    }

    static String acquired(int permits, long waitedNanos) {
        return "observer: acquired " + permits + " after " + waitedNanos;
    }

    static String queued(int permits) {
        return "observer: queued " + permits;
    }

    static String refused(int permits, RefusalReason reason) {
        return "observer: refused " + permits + ", " + reason;
    }

    static String cancelled(int permits, long waitedNanos) {
        return "observer: cancelled " + permits + " after " + waitedNanos;
    }

    static String state(long available, RateLimiterStatistics statistics, int timers, boolean idle) {
        return available + " available, " + statistics + ", " + timers + " timers" + (idle ? ", idle" : "");
    }
}
