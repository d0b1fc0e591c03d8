package dev.weir.testkit;

import dev.weir.Lease;
import dev.weir.PermitListener;
import dev.weir.limit.Limit;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The books of a limiter: what its arithmetic granted and took back, against what its users received and returned. An oracle
 * for the law that no permit is lost and none is made up: granted = delivered + given back.
 *
 * <pre>{@code
 * PermitLedger ledger = new PermitLedger();
 * RateLimiter limiter = RateLimiter.of(ledger.watching(Limit.of(5, ofSeconds(1))));
 * limiter.acquire(3, ledger.listener(lease -> {}));       // and any mix of requests, cancels, timeouts
 * ledger.assertConserved();
 * }</pre>
 *
 * <p>The side of the arithmetic is written by the limit that {@link #watching} returns, with the times that the limiter
 * decided by. The side of the users is written by the test, through {@link #listener}, {@link #delivered} and {@link #returned}.
 * Thread-safe; the books agree whenever no request is under way.
 */
public final class PermitLedger {

    private final AtomicLong granted = new AtomicLong();
    private final AtomicLong givenBack = new AtomicLong();
    private final AtomicLong delivered = new AtomicLong();
    private final AtomicLong returned = new AtomicLong();
    private final EmissionTimes grantTimes = EmissionTimes.of();

    /** Opens empty books. */
    public PermitLedger() {}

    /**
     * Returns a limit that keeps another and writes into these books what its policies grant and take back.
     *
     * @param limit the limit to watch
     * @return a limit of the same capacity that decides as the other would
     */
    public Limit watching(Limit limit) {
        return new WatchedLimit(Objects.requireNonNull(limit, "limit"), this);
    }

    /**
     * Returns a listener that enters what it receives.
     *
     * @param listener hears the answer next
     * @return a listener for {@code acquire}
     */
    public PermitListener listener(PermitListener listener) {
        Objects.requireNonNull(listener, "listener");
        return lease -> {
            delivered(lease);
            listener.onLease(lease);
        };
    }

    /**
     * Enters an answer that a user received.
     *
     * @param lease the answer; a refusal counts as nothing
     * @return the same lease
     */
    public Lease delivered(Lease lease) {
        if (lease.isAcquired()) {
            delivered.addAndGet(lease.permits());
        }
        return lease;
    }

    /**
     * Enters permits that a user gave back after receiving them: by settling for less, by {@link Lease#giveBack}, or by
     * closing the lease of a limit of concurrency.
     *
     * @param permits how many; zero or more
     * @throws IllegalArgumentException if {@code permits} is negative
     */
    public void returned(int permits) {
        if (permits < 0) {
            throw new IllegalArgumentException("permits must not be negative, but is " + permits);
        }
        returned.addAndGet(permits);
    }

    void granted(int permits, long atNanos) {
        granted.addAndGet(permits);
        grantTimes.addAt(atNanos, permits);
    }

    void givenBack(int permits) {
        givenBack.addAndGet(permits);
    }

    /**
     * Returns what the arithmetic granted, whether or not it was given back later.
     *
     * @return a number of permits
     */
    public long granted() {
        return granted.get();
    }

    /**
     * Returns what the arithmetic got back.
     *
     * @return a number of permits
     */
    public long givenBack() {
        return givenBack.get();
    }

    /**
     * Returns what users hold: what was delivered to them less what they returned.
     *
     * @return a number of permits
     */
    public long held() {
        return delivered.get() - returned.get();
    }

    /**
     * Returns when permits were granted, in the time that the limiter decided by, one entry for each permit; those that were
     * given back later are among them.
     *
     * @return the times
     */
    public EmissionTimes grantTimes() {
        return grantTimes;
    }

    /**
     * Asserts that users hold exactly what was granted and not given back.
     *
     * @throws AssertionError if permits were lost or made up; it shows the books
     */
    public void assertConserved() {
        long difference = granted() - givenBack() - held();
        if (difference != 0) {
            throw new AssertionError(
                    (difference > 0 ? difference + " permit(s) lost" : -difference + " permit(s) made up")
                            + ": granted " + granted() + ", given back " + givenBack() + ", delivered "
                            + delivered.get()
                            + ", returned by users " + returned.get());
        }
    }

    @Override
    public String toString() {
        return "granted " + granted() + ", given back " + givenBack() + ", held " + held();
    }
}
