package dev.weir.limit;

import dev.weir.handle.Handles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Counts the permits in use. Permits return by {@link #release} or {@link #giveBack}, so a refusal is {@link #AWAIT_SIGNAL}. */
final class ConcurrencyPolicy implements Foretelling {

    private static final VarHandle OUT =
            Handles.of(() -> MethodHandles.lookup().findVarHandle(ConcurrencyPolicy.class, "out", long.class));

    private volatile long out;

    /** May be lowered below what is in use: then nothing is granted until enough permits have returned. */
    private volatile int limit;

    /** When the last permit returned. Written before it is counted: a thread that sees all returned also sees since when. */
    private volatile long lastReturnNanos;

    ConcurrencyPolicy(int limit, long nowNanos) {
        this.limit = limit;
        this.lastReturnNanos = nowNanos;
    }

    @Override
    public long tryTake(int permits, long nowNanos) {
        int needed = Math.max(permits, 1);
        long taken = out;
        while (taken + needed <= limit) {
            if (permits == 0 || OUT.compareAndSet(this, taken, taken + permits)) {
                return TAKEN;
            }
            taken = out;
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
        return limit - out;
    }

    @Override
    public long nanosUntilFull(long nowNanos) {
        return out == 0 ? 0 : AWAIT_SIGNAL;
    }

    @Override
    public long nanosUntilOneByOne(long permits, long nowNanos) {
        return permits <= limit - out ? 0 : AWAIT_SIGNAL;
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
    public boolean isTimed() {
        return false;
    }

    @Override
    public boolean releaseSome(int permits) {
        for (long taken = out; taken > permits; taken = out) {
            if (OUT.compareAndSet(this, taken, taken - permits)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void release(int permits, long nowNanos) {
        if (permits > 0) {
            lastReturnNanos = nowNanos;
            OUT.getAndAdd(this, (long) -permits);
        }
    }

    @Override
    public void reconfigure(Limit changed, long nowNanos) {
        limit = Kind.checked(Concurrency.class, changed).permits();
    }
}
