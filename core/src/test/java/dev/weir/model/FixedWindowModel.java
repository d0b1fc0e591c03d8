package dev.weir.model;

import dev.weir.limit.FixedWindow;
import dev.weir.limit.Limit;

/**
 * Windows that begin at their first use, and a count. When a window ends, as many are forgotten as it admits; what is left was
 * charged beyond and counts in the next, which then begins at once.
 */
final class FixedWindowModel implements LimitModel {

    private int permits;
    private long length;
    private long begin;
    private long used;

    /** What was taken from then on counts in the window: a change may have begun it later. */
    private long countsFrom;

    FixedWindowModel(FixedWindow limit) {
        permits = limit.permits();
        length = limit.window().toNanos();
    }

    private FixedWindowModel(FixedWindowModel like) {
        permits = like.permits;
        length = like.length;
        begin = like.begin;
        used = like.used;
        countsFrom = like.countsFrom;
    }

    @Override
    public FixedWindowModel copy() {
        return new FixedWindowModel(this);
    }

    @Override
    public int capacity() {
        return permits;
    }

    private long windowsOver(long at) {
        return (at - begin) / length;
    }

    private long used(long at) {
        return Math.max(0, used - Math.min(used, windowsOver(at)) * permits);
    }

    private void enterWindowOf(long at) {
        long still = used(at);
        long windows = windowsOver(at);
        begin = still == 0 ? at : begin + windows * length;
        countsFrom = still == 0 || windows > 0 ? begin : countsFrom;
        used = still;
    }

    @Override
    public boolean fits(int wanted, long at) {
        return used(at) + wanted <= permits;
    }

    @Override
    public void take(int taken, long at) {
        enterWindowOf(at);
        used += taken;
    }

    @Override
    public void charge(int charged, long at) {
        take(charged, at);
    }

    /** What was taken in an earlier window has been forgotten with that. */
    @Override
    public void giveBack(int returned, long takenAt, long at) {
        enterWindowOf(at);
        used = takenAt >= countsFrom ? Math.max(0, used - returned) : used;
    }

    @Override
    public long available(long at) {
        return permits - used(at);
    }

    @Override
    public boolean isFull(long at) {
        return used(at) == 0;
    }

    /** The window goes on, unless it is over by its new length; then one begins with what still counts. */
    @Override
    public void reconfigure(Limit limit, long at) {
        FixedWindow changed = (FixedWindow) limit;
        enterWindowOf(at);
        permits = changed.permits();
        length = changed.window().toNanos();
        begin = at - begin < length ? begin : at;
    }
}
