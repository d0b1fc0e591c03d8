package dev.weir;

import dev.weir.limit.DecisionSource;
import dev.weir.limit.PermitPolicy;
import dev.weir.limit.WaitingRequest;
import org.jspecify.annotations.Nullable;

/** Another policy, each of whose calls may break first. */
record BreakingPolicy(PermitPolicy policy, Runnable maybe) implements PermitPolicy {

    @Override
    public long tryTake(int permits, long nowNanos) {
        maybe.run();
        return policy.tryTake(permits, nowNanos);
    }

    @Override
    public long tryTakeFirst(WaitingRequest first, long waiting, long longestNanos, long nowNanos) {
        maybe.run();
        return policy.tryTakeFirst(first, waiting, longestNanos, nowNanos);
    }

    @Override
    public void giveBack(int permits, long takenAtNanos, long nowNanos) {
        maybe.run();
        policy.giveBack(permits, takenAtNanos, nowNanos);
    }

    @Override
    public void putBack(int permits, long takenAtNanos, long nowNanos) {
        maybe.run();
        policy.putBack(permits, takenAtNanos, nowNanos);
    }

    @Override
    public void charge(int permits, long nowNanos) {
        maybe.run();
        policy.charge(permits, nowNanos);
    }

    @Override
    public long available(long nowNanos) {
        maybe.run();
        return policy.available(nowNanos);
    }

    @Override
    public long nanosUntilFull(long nowNanos) {
        maybe.run();
        return policy.nanosUntilFull(nowNanos);
    }

    @Override
    public long nanosUntil(long ahead, int permits, long nowNanos) {
        maybe.run();
        return policy.nanosUntil(ahead, permits, nowNanos);
    }

    @Override
    public long nanosAtLeast(long requestsAhead, long ahead, int permits, long nowNanos) {
        maybe.run();
        return policy.nanosAtLeast(requestsAhead, ahead, permits, nowNanos);
    }

    @Override
    public boolean findsWaitByTaking() {
        maybe.run();
        return policy.findsWaitByTaking();
    }

    @Override
    public int capacity() {
        maybe.run();
        return policy.capacity();
    }

    @Override
    public boolean isTimed() {
        maybe.run();
        return policy.isTimed();
    }

    @Override
    public boolean returnsOnRelease() {
        maybe.run();
        return policy.returnsOnRelease();
    }

    @Override
    public long nanosUntilDecided(int permits, long nowNanos) {
        maybe.run();
        return policy.nanosUntilDecided(permits, nowNanos);
    }

    @Override
    public void cancelReservations() {
        maybe.run();
        policy.cancelReservations();
    }

    @Override
    public @Nullable Throwable failure(long nowNanos) {
        maybe.run();
        return policy.failure(nowNanos);
    }

    @Override
    public DecisionSource source(long nowNanos) {
        maybe.run();
        return policy.source(nowNanos);
    }
}
