package dev.weir.redis;

/**
 * Settings for a test, of which it sets what matters to it. By default a node books for the first waiting request alone, enforces the whole
 * limit in an outage, leases nothing ahead, and polls and renews after a day.
 */
final class TestSettings {

    static final long A_DAY_NANOS = 86_400_000_000_000L;

    private long deadlineNanos = 50_000_000;
    private long lifeNanos = 100_000_000;
    private long slackNanos = 50_000_000;
    private long aheadNanos;
    private long pollNanos = A_DAY_NANOS;
    private long renewNanos = A_DAY_NANOS;
    private int leaseAhead;
    private WhenUnavailable whenUnavailable = WhenUnavailable.LOCAL;
    private int nodes = 1;

    TestSettings deadlineNanos(long nanos) {
        deadlineNanos = nanos;
        return this;
    }

    TestSettings lifeNanos(long nanos) {
        lifeNanos = nanos;
        return this;
    }

    TestSettings slackNanos(long nanos) {
        slackNanos = nanos;
        return this;
    }

    TestSettings aheadNanos(long nanos) {
        aheadNanos = nanos;
        return this;
    }

    TestSettings pollNanos(long nanos) {
        pollNanos = nanos;
        return this;
    }

    TestSettings renewNanos(long nanos) {
        renewNanos = nanos;
        return this;
    }

    TestSettings leaseAhead(int permits) {
        leaseAhead = permits;
        return this;
    }

    TestSettings whenUnavailable(WhenUnavailable choice) {
        whenUnavailable = choice;
        return this;
    }

    TestSettings nodes(int expected) {
        nodes = expected;
        return this;
    }

    NodeSettings build() {
        return new NodeSettings(
                deadlineNanos,
                lifeNanos,
                slackNanos,
                aheadNanos,
                pollNanos,
                renewNanos,
                leaseAhead,
                whenUnavailable,
                new Shares(nodes));
    }
}
