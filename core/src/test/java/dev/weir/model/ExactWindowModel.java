package dev.weir.model;

import dev.weir.limit.Limit;
import dev.weir.limit.SlidingWindowLog;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The exact window: the times of all permits ever taken, in order. A permit may be taken when the one so many places before it
 * is a period old. What is charged takes the next places that the limit allows, in the future if need be: that is debt.
 */
final class ExactWindowModel implements LimitModel {

    private final List<Long> times;
    private int permits;
    private long period;

    ExactWindowModel(SlidingWindowLog limit) {
        this(limit.permits(), limit.period().toNanos(), List.of());
    }

    private ExactWindowModel(int permits, long period, List<Long> times) {
        this.permits = permits;
        this.period = period;
        this.times = new ArrayList<>(times);
    }

    @Override
    public LimitModel copy() {
        return new ExactWindowModel(permits, period, times);
    }

    @Override
    public int capacity() {
        return permits;
    }

    @Override
    public boolean fits(int wanted, long at) {
        int place = times.size() + wanted - 1 - permits;
        return place < 0 || (place < times.size() && times.get(place) + period <= at);
    }

    @Override
    public void take(int taken, long at) {
        times.addAll(Collections.nCopies(taken, at));
    }

    @Override
    public void charge(int charged, long at) {
        for (int i = 0; i < charged; i++) {
            long newest = times.isEmpty() ? at : Math.max(at, times.get(times.size() - 1));
            int place = times.size() - permits;
            times.add(place < 0 ? newest : Math.max(newest, times.get(place) + period));
        }
    }

    /** Permits of that time go; then what is owed is charged anew, as if it were now. */
    @Override
    public void giveBack(int returned, long takenAt, long at) {
        if (at - takenAt < period) {
            int owed = (int) times.stream().filter(time -> time > at).count();
            times.subList(times.size() - owed, times.size()).clear();
            for (int i = 0; i < returned; i++) {
                times.remove(Long.valueOf(takenAt));
            }
            charge(owed, at);
        }
    }

    @Override
    public long available(long at) {
        long debt = times.stream().filter(time -> time > at).count();
        long counting = times.stream().filter(time -> at - time < period).count();
        return debt > 0 ? -debt : Math.max(0, permits - counting);
    }

    @Override
    public boolean isFull(long at) {
        return times.isEmpty() || times.get(times.size() - 1) + period <= at;
    }

    @Override
    public void reconfigure(Limit limit, long at) {
        SlidingWindowLog changed = (SlidingWindowLog) limit;
        permits = changed.permits();
        period = changed.period().toNanos();
    }
}
