package dev.weir.testkit;

import dev.weir.Lease;
import dev.weir.PermitListener;
import dev.weir.limit.Limit;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Records the permits that the policy of a limiter granted and took back, and those that its users received and returned. A test
 * oracle for the invariant that no permit is lost or made up: granted - given back = delivered - returned.
 *
 * <pre>{@code
 * PermitLedger ledger = new PermitLedger();
 * RateLimiter limiter = RateLimiter.of(ledger.watching(Limit.of(5, ofSeconds(1))));
 * limiter.acquire(3, ledger.listener(lease -> {}));       // and any mix of requests, cancels, timeouts
 * ledger.assertConserved();
 * }</pre>
 *
 * <p>The policy's side is recorded by the limit that {@link #watching} returns, with the times at which the limiter decided. The
 * users' side is recorded by the test, through {@link #listener}, {@link #delivered} and {@link #returned}. Thread-safe; both sides
 * agree whenever no call is in progress.
 */
public final class PermitLedger {

    private final AtomicLong granted = new AtomicLong();
    private final AtomicLong givenBack = new AtomicLong();
    private final AtomicLong delivered = new AtomicLong();
    private final AtomicLong returned = new AtomicLong();
    private final EmissionTimes grantTimes = EmissionTimes.of();

    /** Creates an empty ledger. */
    public PermitLedger() {}

    /**
     * Returns a limit that decides like the given one and records in this ledger what its policies grant and take back.
     *
     * <p>Not for the keys of a {@link dev.weir.PartitionedRateLimiter} that are forgotten while several threads ask for them: if a
     * thread takes permits of a key just as another thread forgets it, these count for nothing, and it takes others of the key's
     * next limiter. The ledger has recorded both, so permits seem lost, and a window seems to admit too much. Record the times of
     * what is delivered instead, with {@link EmissionTimes#record}.
     *
     * @param limit the limit to watch
     * @return a limit of the same capacity that makes the same decisions
     */
    public Limit watching(Limit limit) {
        return new WatchedLimit(Objects.requireNonNull(limit, "limit"), this);
    }

    /**
     * Returns a listener that records the answer as delivered, and is {@link PermitListener.Direct direct} if the other one is.
     *
     * @param listener the listener to which the answer is passed on
     * @return a listener for {@code acquire}
     */
    public PermitListener listener(PermitListener listener) {
        Objects.requireNonNull(listener, "listener");
        PermitListener recording = lease -> {
            delivered(lease);
            listener.onLease(lease);
        };
        boolean isDirect = listener instanceof PermitListener.Direct;
        return isDirect ? (PermitListener.Direct) recording::onLease : recording;
    }

    /**
     * Records an answer that a user received.
     *
     * @param lease the answer; a refusal counts as zero permits
     * @return the same lease
     */
    public Lease delivered(Lease lease) {
        if (lease.isAcquired()) {
            delivered.addAndGet(lease.permits());
        }
        return lease;
    }

    /**
     * Records permits that a user gave back after receiving them: by settling for less, by {@link Lease#giveBack}, or by
     * closing the lease of a concurrency limit.
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
     * Returns what the policy granted, whether or not it was given back later.
     *
     * @return a number of permits
     */
    public long granted() {
        return granted.get();
    }

    /**
     * Returns what the policy got back.
     *
     * @return a number of permits
     */
    public long givenBack() {
        return givenBack.get();
    }

    /**
     * Returns what users hold: what was delivered to them minus what they returned.
     *
     * @return a number of permits
     */
    public long held() {
        return delivered.get() - returned.get();
    }

    /**
     * Returns when permits were granted, by the clock of the limiter, one entry for each permit, including those that were given
     * back later.
     *
     * @return the times
     */
    public EmissionTimes grantTimes() {
        return grantTimes;
    }

    /**
     * Asserts that users hold exactly what was granted and not given back.
     *
     * @throws AssertionError if permits were lost or made up; the message shows all numbers
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
