package dev.weir.redis;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.util.concurrent.atomic.AtomicLong;

/** What decides while the store does not answer, as chosen, and what the store is to be told of it afterwards. */
final class Fallback {

    private final WhenUnavailable choice;
    private final Shares shares;
    private final PermitPolicy share;

    /** Permits out that {@link #release} returns, and permits that the store has not been told of. */
    private final AtomicLong out = new AtomicLong();

    private final AtomicLong untold = new AtomicLong();

    Fallback(WhenUnavailable choice, Shares shares, Limit limit, long nowNanos) {
        this.choice = choice;
        this.shares = shares;
        this.share = shares.of(limit).newPolicy(nowNanos);
    }

    long tryTake(int permits, Outage outage, long nowNanos) {
        if (choice == WhenUnavailable.REFUSE) {
            return Math.max(1, outage.retryNanos() - nowNanos);
        }
        if (choice == WhenUnavailable.ALLOW) {
            untold.addAndGet(permits);
            return PermitPolicy.TAKEN;
        }
        long wait =
                permits > share.capacity() ? takeMoreThanTheShare(permits, nowNanos) : share.tryTake(permits, nowNanos);
        if (wait == PermitPolicy.TAKEN) {
            (share.returnsOnRelease() ? out : untold).addAndGet(permits);
        }
        return wait;
    }

    /** A request larger than the share waits for all of it and runs into debt: so it is granted in the end, and paid for. */
    private long takeMoreThanTheShare(int permits, long nowNanos) {
        long wait = share.nanosUntilFull(nowNanos);
        if (wait > 0) {
            return wait;
        }
        long taken = share.tryTake(share.capacity(), nowNanos);
        if (taken == PermitPolicy.TAKEN) {
            share.charge(permits - share.capacity(), nowNanos);
        }
        return taken;
    }

    long available(Limit limit, long nowNanos) {
        return switch (choice) {
            case REFUSE -> 0;
            case ALLOW -> limit.capacity();
            case LOCAL -> share.available(nowNanos);
        };
    }

    void giveBack(int permits, long takenAtNanos, long nowNanos) {
        if (choice == WhenUnavailable.LOCAL) {
            share.giveBack(permits, takenAtNanos, nowNanos);
        }
        untold.addAndGet(-permits);
    }

    /** Tells whether it was here that the permits were taken which are being released, as far as anybody can tell. */
    boolean release(int permits, long nowNanos) {
        long here;
        do {
            here = out.get();
            if (here < permits || permits == 0) {
                return false;
            }
        } while (!out.compareAndSet(here, here - permits));
        share.release(permits, nowNanos);
        return true;
    }

    void charge(int permits, long nowNanos) {
        if (choice == WhenUnavailable.LOCAL) {
            share.charge(permits, nowNanos);
        }
        untold.addAndGet(permits);
    }

    /** Returns what was taken here that the store is to be charged for: what it has not been told of, and still counts. */
    long owed(Limit limit, long nowNanos) {
        long taken = untold.getAndSet(0);
        if (share.returnsOnRelease()) {
            return 0;
        }
        long counts = choice == WhenUnavailable.LOCAL ? share.capacity() - share.available(nowNanos) : limit.capacity();
        return Math.max(0, Math.min(taken, counts));
    }

    void reconfigure(Limit limit, long nowNanos) {
        share.reconfigure(shares.of(limit), nowNanos);
    }
}
