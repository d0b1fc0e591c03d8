package dev.weir.testkit;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;

/** A limit whose policies keep the books of a {@link PermitLedger}. */
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

    /** Delegates every method, the default ones too, and enters what changes the number of permits that are out. */
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
            long answer = policy.tryTake(permits, nowNanos);
            if (answer == TAKEN) {
                ledger.granted(permits, nowNanos);
            }
            return answer;
        }

        @Override
        public void giveBack(int permits, long takenAtNanos, long nowNanos) {
            ledger.givenBack(permits);
            policy.giveBack(permits, takenAtNanos, nowNanos);
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
        public long nanosUntil(long permits, long nowNanos) {
            return policy.nanosUntil(permits, nowNanos);
        }

        @Override
        public long nanosUntil(long ahead, int permits, long nowNanos) {
            return policy.nanosUntil(ahead, permits, nowNanos);
        }

        @Override
        public int capacity() {
            return policy.capacity();
        }

        @Override
        public long nanosSinceFull(long nowNanos) {
            return policy.nanosSinceFull(nowNanos);
        }

        @Override
        public boolean returnsOnRelease() {
            return policy.returnsOnRelease();
        }
    }
}
