package dev.weir.model;

import dev.weir.limit.Concurrency;
import dev.weir.limit.Limit;

/** How many are out. */
final class ConcurrencyModel implements LimitModel {

    private int permits;
    private long out;

    ConcurrencyModel(Concurrency limit) {
        permits = limit.permits();
    }

    private ConcurrencyModel(ConcurrencyModel like) {
        permits = like.permits;
        out = like.out;
    }

    @Override
    public LimitModel copy() {
        return new ConcurrencyModel(this);
    }

    @Override
    public int capacity() {
        return permits;
    }

    @Override
    public boolean fits(int wanted, long at) {
        return out + wanted <= permits;
    }

    @Override
    public void take(int taken, long at) {
        out += taken;
    }

    /** No lease would ever return it. */
    @Override
    public void charge(int charged, long at) {}

    @Override
    public void giveBack(int returned, long takenAt, long at) {
        out -= returned;
    }

    @Override
    public void release(int stillOut) {
        out -= stillOut;
    }

    @Override
    public boolean returnsOnRelease() {
        return true;
    }

    @Override
    public long available(long at) {
        return permits - out;
    }

    @Override
    public boolean isFull(long at) {
        return out == 0;
    }

    @Override
    public void reconfigure(Limit limit, long at) {
        permits = ((Concurrency) limit).permits();
    }
}
