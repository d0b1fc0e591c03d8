package dev.weir.limit;

import org.jspecify.annotations.Nullable;

/** Counts requests: asks the wrapped policy for one permit, whatever number the request asks for. */
final class CountingCallsPolicy implements PermitPolicy {

    private final CountingCalls first;
    private final PermitPolicy calls;

    CountingCallsPolicy(CountingCalls limit, long nowNanos) {
        this.first = limit;
        this.calls = limit.limit().newPolicy(nowNanos);
    }

    /** Returns the policy itself, or the policy by which it counts requests. */
    static PermitPolicy counted(PermitPolicy policy) {
        return policy instanceof CountingCallsPolicy counting ? counting.calls : policy;
    }

    @Override
    public long tryTake(int permits, long nowNanos) {
        return calls.tryTake(Math.min(permits, 1), nowNanos);
    }

    @Override
    public void giveBack(int permits, long takenAtNanos, long nowNanos) {
        if (permits > 0) {
            calls.giveBack(1, takenAtNanos, nowNanos);
        }
    }

    @Override
    public void putBack(int permits, long takenAtNanos, long nowNanos) {
        if (permits > 0) {
            calls.putBack(1, takenAtNanos, nowNanos);
        }
    }

    /** Does nothing: a charge is part of the cost of a request, not a request. */
    @Override
    public void charge(int permits, long nowNanos) {}

    /** Charges one request, whether it is available or not. */
    void chargeCall(long nowNanos) {
        calls.charge(1, nowNanos);
    }

    /** Does nothing: whatever it cost, it was one request. */
    @Override
    public void settle(int taken, int actual, boolean released, long takenAtNanos, long nowNanos) {}

    @Override
    public long available(long nowNanos) {
        return calls.available(nowNanos);
    }

    @Override
    public long[] availableOfEach(long nowNanos) {
        return calls.availableOfEach(nowNanos);
    }

    /** Returns how many permits one request could take now. */
    long availableToOneCall(long nowNanos) {
        long available = calls.available(nowNanos);
        return available > 0 ? Integer.MAX_VALUE : available;
    }

    @Override
    public long nanosUntilFull(long nowNanos) {
        return calls.nanosUntilFull(nowNanos);
    }

    /** Assumes that at most one request goes before, which is a lower bound. */
    @Override
    public long nanosUntil(long ahead, int permits, long nowNanos) {
        return calls.nanosUntil(Math.min(ahead, 1), 1, nowNanos);
    }

    @Override
    public long nanosAtLeast(long requestsAhead, long ahead, int permits, long nowNanos) {
        return calls.nanosAtLeast(requestsAhead, requestsAhead, 1, nowNanos);
    }

    /** Assumes that {@code ahead} requests go before. */
    long nanosUntilCall(long ahead, long nowNanos) {
        return calls.nanosUntil(ahead, 1, nowNanos);
    }

    @Override
    public boolean findsWaitByTaking() {
        return calls.findsWaitByTaking();
    }

    @Override
    public long nanosSinceFull(long nowNanos) {
        return calls.nanosSinceFull(nowNanos);
    }

    @Override
    public void signalTo(Runnable drain) {
        calls.signalTo(drain);
    }

    @Override
    public long nanosUntilDecided(int permits, long nowNanos) {
        return calls.nanosUntilDecided(1, nowNanos);
    }

    @Override
    public @Nullable Throwable failure(long nowNanos) {
        return calls.failure(nowNanos);
    }

    @Override
    public DecisionSource source(long nowNanos) {
        return calls.source(nowNanos);
    }

    @Override
    public void close() {
        calls.close();
    }

    @Override
    public boolean returnsOnRelease() {
        return calls.returnsOnRelease();
    }

    @Override
    public void release(int permits, long nowNanos) {
        calls.release(1, nowNanos);
    }

    @Override
    public void reconfigure(Limit limit, long nowNanos) {
        CountingCalls changed = Kind.checked(CountingCalls.class, limit);
        if (!Kind.isSame(first, changed)) {
            throw Kind.mismatch(limit);
        }
        calls.reconfigure(changed.limit(), nowNanos);
    }
}
