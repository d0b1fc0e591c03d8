package dev.weir;

import dev.weir.time.TimeSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A member of a chain that is not of this library. Only its face is known; how long one has to wait it tells only by a refusal. */
record ForeignMember(RateLimiter limiter) implements Member {

    @Override
    public TimeSource time() {
        return TimeSource.system();
    }

    @Override
    public boolean tellsTime() {
        return false;
    }

    @Override
    public boolean isOurs() {
        return false;
    }

    /** {@inheritDoc} It takes a request as made when it is asked. */
    @Override
    public boolean keepsAgesBy(TimeSource clock) {
        return false;
    }

    @Override
    public void checkOpen() {}

    /** {@inheritDoc} This cannot be asked. */
    @Override
    public boolean isOpen() {
        return false;
    }

    /** {@inheritDoc} This ignores the bound: it would refuse as it likes, so the chain's own bound counts. */
    @Override
    public PermitRequest request(int permits, long maxWaitNanos, PermitListener listener) {
        return limiter.acquire(permits, listener);
    }

    @Override
    public @Nullable Lease takeForChain(ChainRequest chainRequest) {
        Lease lease = limiter.tryAcquire(chainRequest.permits());
        return lease.isAcquired() ? lease : null;
    }

    @Override
    public void addEngines(List<PermitEngine> engines) {}

    @Override
    public void signal() {}

    @Override
    public long waitFrom(long laterNanos, long ahead, int permits) {
        return waitFoundByTaking(laterNanos, permits);
    }

    @Override
    public long leastWaitFrom(long laterNanos, Ahead ahead, int permits) {
        long wait = waitFoundByTaking(laterNanos, permits);
        return wait == PermitEngine.UNBOUNDED ? 0 : wait;
    }

    @Override
    public long knownWaitFrom(long laterNanos, int permits) {
        return waitFoundByTaking(laterNanos, permits);
    }

    /** Takes permits and gives them back; what others ahead would take cannot be asked. */
    private long waitFoundByTaking(long laterNanos, int permits) {
        Lease lease = limiter.tryAcquire(permits);
        lease.giveBack();
        long wait = lease.isAcquired() ? 0 : Members.nanosToldBy(lease);
        return wait == PermitEngine.UNBOUNDED ? wait : Math.max(0, wait - laterNanos);
    }

    @Override
    public long nanosUntilFirst() {
        return 0;
    }
}
