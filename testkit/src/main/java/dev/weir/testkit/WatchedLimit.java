package dev.weir.testkit;

import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.limit.WaitingRequest;
import org.jspecify.annotations.Nullable;

/** A limit whose policies record in a {@link PermitLedger} what they grant and take back. */
record WatchedLimit(Limit watched, PermitLedger ledger) implements Limit {

    @Override
    public int capacity() {
        return watched.capacity();
    }

    @Override
    public PermitPolicy newPolicy(long nowNanos) {
        return new Policy(watched, watched.newPolicy(nowNanos), ledger);
    }

    @Override
    public String toString() {
        return watched.toString();
    }

    /** Delegates every method, including default ones, and records what changes the number of permits held by users. */
    private static final class Policy implements PermitPolicy {

        private final Limit kind;
        private final PermitPolicy policy;
        private final PermitLedger ledger;

        Policy(Limit kind, PermitPolicy policy, PermitLedger ledger) {
            this.kind = kind;
            this.policy = policy;
            this.ledger = ledger;
        }

        @Override
        public long tryTake(int permits, long nowNanos) {
            return entered(policy.tryTake(permits, nowNanos), permits, nowNanos);
        }

        @Override
        public long tryTakeFirst(WaitingRequest first, long waiting, long longestNanos, long nowNanos) {
            return entered(policy.tryTakeFirst(first, waiting, longestNanos, nowNanos), first.permits(), nowNanos);
        }

        @Override
        public long nanosUntilDecided(int permits, long nowNanos) {
            return policy.nanosUntilDecided(permits, nowNanos);
        }

        private long entered(long answer, int permits, long nowNanos) {
            if (answer == TAKEN) {
                ledger.granted(permits, nowNanos);
            }
            return answer;
        }

        @Override
        public void cancelReservations() {
            policy.cancelReservations();
        }

        @Override
        public void close() {
            policy.close();
        }

        @Override
        public @Nullable Throwable failure(long nowNanos) {
            return policy.failure(nowNanos);
        }

        @Override
        public DecisionSource source(long nowNanos) {
            return policy.source(nowNanos);
        }

        @Override
        public void giveBack(int permits, long takenAtNanos, long nowNanos) {
            ledger.givenBack(permits);
            policy.giveBack(permits, takenAtNanos, nowNanos);
        }

        @Override
        public void putBack(int permits, long takenAtNanos, long nowNanos) {
            ledger.givenBack(permits);
            policy.putBack(permits, takenAtNanos, nowNanos);
        }

        /** Does not record charges beyond the permits taken, nor permits that a release has already returned. */
        @Override
        public void settle(int taken, int actual, boolean released, long takenAtNanos, long nowNanos) {
            if (actual < taken && !(released && policy.returnsOnRelease())) {
                ledger.givenBack(taken - actual);
            }
            policy.settle(taken, actual, released, takenAtNanos, nowNanos);
        }

        @Override
        public boolean releaseSome(int permits) {
            boolean isDone = policy.releaseSome(permits);
            if (isDone) {
                ledger.givenBack(permits);
            }
            return isDone;
        }

        @Override
        public void release(int permits, long nowNanos) {
            if (policy.returnsOnRelease()) {
                ledger.givenBack(permits);
            }
            policy.release(permits, nowNanos);
        }

        @Override
        public void reconfigure(Limit limit, long nowNanos) {
            if (!(limit instanceof WatchedLimit changed) || changed.watched.getClass() != kind.getClass()) {
                throw new IllegalArgumentException("Not a watched limit of the kind of " + kind + ": " + limit);
            }
            policy.reconfigure(changed.watched, nowNanos);
        }

        @Override
        public void charge(int permits, long nowNanos) {
            policy.charge(permits, nowNanos);
        }

        @Override
        public long available(long nowNanos) {
            return policy.available(nowNanos);
        }

        @Override
        public long nanosUntilFull(long nowNanos) {
            return policy.nanosUntilFull(nowNanos);
        }

        @Override
        public void signalTo(Runnable drain) {
            policy.signalTo(drain);
        }

        @Override
        public boolean findsWaitByTaking() {
            return policy.findsWaitByTaking();
        }

        @Override
        public long nanosUntil(long ahead, int permits, long nowNanos) {
            return policy.nanosUntil(ahead, permits, nowNanos);
        }

        @Override
        public long nanosAtLeast(long requestsAhead, long ahead, int permits, long nowNanos) {
            return policy.nanosAtLeast(requestsAhead, ahead, permits, nowNanos);
        }

        @Override
        public int capacity() {
            return policy.capacity();
        }

        @Override
        public long[] availableOfEach(long nowNanos) {
            return policy.availableOfEach(nowNanos);
        }

        @Override
        public long nanosSinceFull(long nowNanos) {
            return policy.nanosSinceFull(nowNanos);
        }

        @Override
        public boolean isTimed() {
            return policy.isTimed();
        }

        @Override
        public boolean returnsOnRelease() {
            return policy.returnsOnRelease();
        }
    }
}
