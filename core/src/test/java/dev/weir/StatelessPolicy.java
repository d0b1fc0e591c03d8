package dev.weir;

import dev.weir.limit.PermitPolicy;

/** A policy that heeds neither what is given back nor what is charged, and is always like a new one. */
public abstract class StatelessPolicy implements PermitPolicy {

    @Override
    public void giveBack(int permits, long takenAtNanos, long nowNanos) {}

    @Override
    public void charge(int permits, long nowNanos) {}

    @Override
    public long nanosUntilFull(long nowNanos) {
        return 0;
    }
}
