package dev.weir;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A request that a chain has made at one of its members: either a permit in hand or a place in the member's queue.
 *
 * <pre>
 *   ASKED --member: answer--> lease       wakes the chain
 *     |                         |
 *     +--------- withdraw ------+-----> WITHDRAWN    a lease found here, or arriving later, goes back
 * </pre>
 */
final class Place implements PermitListener {

    private static final Object ASKED = new Object();
    private static final Object WITHDRAWN = new Object();

    final int member;
    final int permits;

    private final Runnable wake;
    private final AtomicReference<Object> state = new AtomicReference<>(ASKED);
    private @Nullable PermitRequest request;

    private Place(int member, int permits, Runnable wake) {
        this.member = member;
        this.permits = permits;
        this.wake = wake;
    }

    static Place at(RateLimiter limiter, int member, int permits, Runnable wake) {
        Place place = new Place(member, permits, wake);
        try {
            place.request = limiter.acquire(permits, place);
        } catch (RuntimeException | Error broken) {
            place.withdraw();
            throw broken;
        }
        return place;
    }

    @Override
    public void onLease(Lease lease) {
        if (state.compareAndSet(ASKED, lease)) {
            wake.run();
        } else {
            lease.giveBack();
        }
    }

    /** Returns the answer of the member, or null while it keeps the place in its queue. */
    @Nullable
    Lease answer() {
        return state.get() instanceof Lease lease ? lease : null;
    }

    void withdraw() {
        Object left = state.getAndSet(WITHDRAWN);
        if (left instanceof Lease lease) {
            lease.giveBack();
        } else if (request != null) {
            request.cancel();
        }
    }
}
