package dev.weir.redis;

/**
 * Manners for a test, made of what matters to it. By default a node books for the first waiting request alone, enforces the whole
 * limit in an outage, leases nothing ahead, and neither polls nor renews.
 */
final class TestManners {

    private long deadlineNanos = 50_000_000;
    private long lifeNanos = 100_000_000;
    private long slackNanos = 50_000_000;
    private long aheadNanos;
    private long pollNanos;
    private long renewNanos;
    private int leaseAhead;
    private WhenUnavailable whenUnavailable = WhenUnavailable.LOCAL;
    private int nodes = 1;

    TestManners deadlineNanos(long nanos) {
        deadlineNanos = nanos;
        return this;
    }

    TestManners lifeNanos(long nanos) {
        lifeNanos = nanos;
        return this;
    }

    TestManners slackNanos(long nanos) {
        slackNanos = nanos;
        return this;
    }

    TestManners aheadNanos(long nanos) {
        aheadNanos = nanos;
        return this;
    }

    TestManners pollNanos(long nanos) {
        pollNanos = nanos;
        return this;
    }

    TestManners renewNanos(long nanos) {
        renewNanos = nanos;
        return this;
    }

    TestManners leaseAhead(int permits) {
        leaseAhead = permits;
        return this;
    }

    TestManners whenUnavailable(WhenUnavailable choice) {
        whenUnavailable = choice;
        return this;
    }

    TestManners nodes(int expected) {
        nodes = expected;
        return this;
    }

    Manners build() {
        return new Manners(
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
