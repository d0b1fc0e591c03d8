package dev.weir.model;

import dev.weir.limit.AllOf;
import dev.weir.limit.Limit;
import java.util.List;

/** Several limits, each for itself; what passes must fit all of them. */
final class AllOfModel implements LimitModel {

    private final List<LimitModel> members;

    AllOfModel(AllOf limit) {
        this(limit.limits().stream().map(LimitModel::of).toList());
    }

    private AllOfModel(List<LimitModel> members) {
        this.members = members;
    }

    @Override
    public LimitModel copy() {
        return new AllOfModel(members.stream().map(LimitModel::copy).toList());
    }

    @Override
    public int capacity() {
        return members.stream().mapToInt(LimitModel::capacity).min().orElseThrow();
    }

    @Override
    public boolean fits(int permits, long at) {
        return members.stream().allMatch(member -> member.fits(permits, at));
    }

    @Override
    public void take(int permits, long at) {
        members.forEach(member -> member.take(permits, at));
    }

    @Override
    public void charge(int permits, long at) {
        members.forEach(member -> member.charge(permits, at));
    }

    @Override
    public void giveBack(int permits, long takenAt, long at) {
        members.forEach(member -> member.giveBack(permits, takenAt, at));
    }

    @Override
    public void release(int permits) {
        members.forEach(member -> member.release(permits));
    }

    @Override
    public boolean returnsOnRelease() {
        return members.stream().anyMatch(LimitModel::returnsOnRelease);
    }

    @Override
    public void settle(int taken, int actual, boolean closed, long takenAt, long at) {
        members.forEach(member -> member.settle(taken, actual, closed, takenAt, at));
    }

    @Override
    public long available(long at) {
        return members.stream().mapToLong(member -> member.available(at)).min().orElseThrow();
    }

    @Override
    public boolean isFull(long at) {
        return members.stream().allMatch(member -> member.isFull(at));
    }

    @Override
    public void reconfigure(Limit limit, long at) {
        for (int i = 0; i < members.size(); i++) {
            members.get(i).reconfigure(((AllOf) limit).limits().get(i), at);
        }
    }

    /** Each member would have let it pass by then: the later of their instants, and the true one if nobody is ahead. */
    @Override
    public long firstFit(long ahead, int permits, long at) {
        return members.stream()
                .mapToLong(member -> member.firstFit(ahead, permits, at))
                .max()
                .orElseThrow();
    }

    /** What one of them tells holds, though another does not. */
    @Override
    public long firstFitAsFarAsKnown(long ahead, int permits, long at) {
        return members.stream()
                .mapToLong(member -> member.firstFitAsFarAsKnown(ahead, permits, at))
                .max()
                .orElseThrow();
    }
}
