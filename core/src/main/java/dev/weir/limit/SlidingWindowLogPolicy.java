package dev.weir.limit;

import java.util.function.UnaryOperator;

/**
 * Enforces the exact window: a permit may be taken when the one taken {@code permits} places before it is a period old.
 *
 * <p>The grants are in a {@link GrantRing}, which takes in place and does nothing else. Every other change (growing, giving back,
 * charging, reconfiguring) freezes the ring, derives a changed {@link GrantLog}, and publishes a new ring made of it. A frozen
 * ring refuses every change, so no grant can be lost between the copy and its publication.
 */
final class SlidingWindowLogPolicy implements Foretelling {

    private volatile GrantRing ring;

    SlidingWindowLogPolicy(int permits, long periodNanos, long nowNanos) {
        this.ring = new GrantRing(GrantLog.unused(permits, periodNanos, nowNanos));
    }

    @Override
    public long tryTake(int permits, long nowNanos) {
        if (permits == 1) {
            long answer = ring.tryTakeOne(nowNanos);
            if (answer >= TAKEN) {
                return answer;
            }
        }
        return takeOrGrow(permits, nowNanos);
    }

    private long takeOrGrow(int permits, long nowNanos) {
        if (permits == 0) {
            return nanosUntilOneByOne(1, nowNanos);
        }
        for (; ; ) {
            GrantRing ring = this.ring;
            long answer = ring.tryTake(permits, nowNanos);
            if (answer >= TAKEN) {
                return answer;
            }
            if (answer == GrantRing.OUTGROWN) {
                long wait = nanosUntilOneByOne(permits, nowNanos);
                if (wait > 0) {
                    return wait; // needs no room
                }
                replace(ring, log -> log.withRoomFor(permits, nowNanos));
            }
        }
    }

    @Override
    public void giveBack(int permits, long takenAtNanos, long nowNanos) {
        if (permits > 0) {
            change(log -> log.without(permits, takenAtNanos, nowNanos));
        }
    }

    @Override
    public void charge(int permits, long nowNanos) {
        if (permits > 0) {
            change(log -> log.charged(permits, nowNanos));
        }
    }

    @Override
    public long available(long nowNanos) {
        long available;
        do {
            available = ring.available(nowNanos);
        } while (available == GrantRing.FROZEN);
        return available;
    }

    @Override
    public long nanosUntilOneByOne(long permits, long nowNanos) {
        long wait;
        do {
            wait = ring.nanosUntilOneByOne(permits, nowNanos);
        } while (wait == GrantRing.FROZEN);
        return wait;
    }

    @Override
    public long nanosUntilFull(long nowNanos) {
        return Math.max(0, -sinceFull(nowNanos));
    }

    @Override
    public long nanosSinceFull(long nowNanos) {
        return Math.max(0, sinceFull(nowNanos));
    }

    private long sinceFull(long nowNanos) {
        long since;
        do {
            since = ring.nanosSinceFull(nowNanos);
        } while (since == GrantRing.FROZEN);
        return since;
    }

    @Override
    public int capacity() {
        return ring.permits();
    }

    @Override
    public void reconfigure(Limit limit, long nowNanos) {
        SlidingWindowLog changed = Kind.checked(SlidingWindowLog.class, limit);
        change(log -> log.reconfigured(changed.permits(), changed.period().toNanos(), nowNanos));
    }

    private void change(UnaryOperator<GrantLog> change) {
        while (!replace(ring, change)) {}
    }

    /** Replaces a ring by its successor. Returns false if another thread did. */
    private boolean replace(GrantRing old, UnaryOperator<GrantLog> change) {
        GrantRing next = old.next(change);
        if (next == null) {
            return false;
        }
        ring = next;
        return true;
    }
}
