package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Lease;
import dev.weir.PermitListener;
import dev.weir.PermitRequest;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A request for permits made by a contract's test, and its answer if there is one. Used by one thread only. */
final class Asked implements PermitListener {

    private static final AtomicInteger ANSWERS = new AtomicInteger();

    private final RateLimiter limiter;
    private final VirtualTimeSource time;
    private final int permits;
    private final Duration askedAt;

    private @Nullable PermitRequest request;
    private @Nullable Lease lease;
    private @Nullable Duration answeredAt;
    private boolean cancelled;
    private boolean released;
    private int answers;
    private int rank;
    private Runnable then = () -> {};

    Asked(RateLimiter limiter, VirtualTimeSource time, int permits) {
        this.limiter = limiter;
        this.time = time;
        this.permits = permits;
        this.askedAt = time.elapsed();
    }

    void begin(Supplier<PermitRequest> acquire) {
        request = acquire.get();
    }

    /** Sets what the listener does when the answer arrives. */
    Asked then(Runnable reaction) {
        then = reaction;
        return this;
    }

    @Override
    public void onLease(Lease answer) {
        lease = answer;
        answeredAt = time.elapsed();
        rank = ANSWERS.incrementAndGet();
        answers++;
        then.run();
    }

    boolean cancel() {
        boolean withdrawn = request().cancel();
        cancelled |= withdrawn;
        return withdrawn;
    }

    PermitRequest request() {
        return Objects.requireNonNull(request, "still within acquire");
    }

    Lease lease() {
        return Objects.requireNonNull(lease, () -> this + " has no answer");
    }

    Lease release() {
        released = true;
        return lease();
    }

    boolean isHeld() {
        return !released;
    }

    boolean isAnswered() {
        return lease != null;
    }

    boolean isGranted() {
        return lease != null && lease.isAcquired();
    }

    int rank() {
        return rank;
    }

    /** Returns the time from the request to its answer. */
    Duration waited() {
        return Objects.requireNonNull(answeredAt, () -> this + " has no answer").minus(askedAt);
    }

    /** Enters when the permits were granted. */
    void enter(EmissionTimes grants) {
        grants.addAt(askedAt.plus(waited()).toNanos(), permits);
    }

    void checkWaits() {
        assertFalse(isAnswered(), () -> this + " should wait");
        assertFalse(request().isSettled(), () -> this + " should not be settled");
    }

    void checkGranted() {
        assertTrue(isGranted(), () -> this + " should be granted");
        assertTrue(request().isSettled(), "settled");
        assertEquals(permits, lease().permits());
        assertTrue(lease().reason().isEmpty(), "a grant has no reason");
        assertTrue(lease().retryAfter().isEmpty(), "a grant has no retryAfter");
    }

    void checkGrantedAfter(Duration wait) {
        checkGranted();
        assertEquals(wait, waited(), () -> "wait of " + this);
    }

    void checkRefused(RefusalReason reason) {
        assertTrue(isAnswered(), () -> this + " should be refused: " + reason);
        LimiterContract.checkRefused(reason, lease());
        assertTrue(request().isSettled(), "settled");
        assertEquals(permits, lease().permits());
    }

    void checkAnsweredAtMostOnce() {
        int most = cancelled ? 0 : 1;
        assertTrue(answers <= most, () -> this + " was answered " + answers + " times");
    }

    @Override
    public String toString() {
        String state = lease == null
                ? (cancelled ? "cancelled" : "waiting")
                : lease.isAcquired() ? "granted" : "refused " + lease.reason().orElseThrow();
        return "request for " + permits + " of " + limiter.name() + " (" + state + ")";
    }
}
