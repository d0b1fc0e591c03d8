package dev.weir.limit;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts what is out. Permits come back by {@link #release} or {@link #giveBack}, so a refusal answers
 * {@link #AWAIT_SIGNAL}.
 */
final class ConcurrencyPolicy implements PermitPolicy {

    private final AtomicLong out = new AtomicLong();

    /** May be lowered below what is out: then nothing is granted until enough has come back. */
    private volatile int limit;

    /** When the last permit came back. Written before it is counted: whoever sees all of them home sees since when. */
    private volatile long lastReturnNanos;

    ConcurrencyPolicy(int limit, long nowNanos) {
        this.limit = limit;
        this.lastReturnNanos = nowNanos;
    }

    @Override
    public long tryTake(int permits, long nowNanos) {
        int needed = Math.max(permits, 1);
        long taken = out.get();
        while (taken + needed <= limit) {
            if (permits == 0 || out.compareAndSet(taken, taken + permits)) {
                return TAKEN;
            }
            taken = out.get();
        }
        return AWAIT_SIGNAL;
    }

    @Override
    public void giveBack(int permits, long takenAtNanos, long nowNanos) {
        release(permits, nowNanos);
    }

    /** Does nothing: no lease would ever return what was charged, so the debt could not be repaid. */
    @Override
    public void charge(int permits, long nowNanos) {}

    @Override
    public long available(long nowNanos) {
        return limit - out.get();
    }

    @Override
    public long nanosUntilFull(long nowNanos) {
        return out.get() == 0 ? 0 : AWAIT_SIGNAL;
    }

    @Override
    public long nanosUntil(long permits, long nowNanos) {
        return out.get() + permits <= limit ? 0 : AWAIT_SIGNAL;
    }

    @Override
    public int capacity() {
        return limit;
    }

    @Override
    public long nanosSinceFull(long nowNanos) {
        return Math.max(0, nowNanos - lastReturnNanos);
    }

    @Override
    public boolean returnsOnRelease() {
        return true;
    }

    @Override
    public void release(int permits, long nowNanos) {
        lastReturnNanos = nowNanos;
        out.addAndGet(-permits);
    }

    @Override
    public void reconfigure(Limit changed, long nowNanos) {
        limit = ((Concurrency) changed).permits();
    }
}
