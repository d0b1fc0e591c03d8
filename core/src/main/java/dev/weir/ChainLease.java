package dev.weir;

import dev.weir.limit.DecisionSource;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The answer of a {@link Chain}: the leases of all members combined, or the refusal of one of them. */
final class ChainLease implements Lease {

    /** Takes the place of a member index if the chain itself refused. */
    static final int ITSELF = -1;

    private final int permits;
    private final @Nullable Refusal refusal;
    private final List<Lease> leases;
    private final Tally tally;

    /** Whether this was settled, closed or given back: whichever comes first decides whether it can still be undone. */
    private final AtomicBoolean used = new AtomicBoolean();

    /**
     * Why a chain refused.
     *
     * @param reason the reason of the refusal
     * @param by the name of the limiter that refused
     * @param member the index of the member that refused, or {@link #ITSELF}
     * @param cause the underlying failure
     * @param retryNanos nanoseconds until a retry would succeed, {@link PermitEngine#UNBOUNDED} if unknown
     * @param source where the decision was made
     */
    record Refusal(
            RefusalReason reason,
            String by,
            int member,
            @Nullable Throwable cause,
            long retryNanos,
            DecisionSource source) {

        /** By a member that can never grant the request, or for which time does not tell when. */
        static Refusal exhausted(String by, int member) {
            return new Refusal(RefusalReason.EXHAUSTED, by, member, null, PermitEngine.UNBOUNDED, DecisionSource.LOCAL);
        }

        /** By a limiter that failed. */
        static Refusal broken(String by, Throwable cause) {
            return new Refusal(
                    RefusalReason.BACKEND_UNAVAILABLE, by, ITSELF, cause, PermitEngine.UNBOUNDED, DecisionSource.LOCAL);
        }

        /** By a member that has been closed. */
        static Refusal closed(String by, int member) {
            return new Refusal(RefusalReason.CLOSED, by, member, null, PermitEngine.UNBOUNDED, DecisionSource.LOCAL);
        }
    }

    ChainLease(int permits, @Nullable Refusal refusal, List<Lease> leases, Tally tally) {
        this.permits = permits;
        this.refusal = refusal;
        this.leases = leases;
        this.tally = tally;
    }

    /** Returns a refusal that no statistics count. */
    static ChainLease refused(int permits, Refusal why) {
        return new ChainLease(permits, why, List.of(), new Tally());
    }

    @Override
    public int permits() {
        return permits;
    }

    @Override
    public boolean isAcquired() {
        return refusal == null;
    }

    @Override
    public Optional<RefusalReason> reason() {
        return Optional.ofNullable(refusal).map(Refusal::reason);
    }

    @Override
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(refusal)
                .map(Refusal::retryNanos)
                .filter(nanos -> nanos != PermitEngine.UNBOUNDED)
                .map(Duration::ofNanos);
    }

    @Override
    public Optional<String> refusedBy() {
        return Optional.ofNullable(refusal).map(Refusal::by);
    }

    @Override
    public OptionalInt refusedAt() {
        return refusal == null || refusal.member() == ITSELF ? OptionalInt.empty() : OptionalInt.of(refusal.member());
    }

    @Override
    public Optional<Throwable> cause() {
        return refusal == null ? Optional.empty() : Optional.ofNullable(refusal.cause());
    }

    /** Returns the source furthest from the usual: the last in enum order of the members' sources. */
    @Override
    public DecisionSource source() {
        if (refusal != null) {
            return refusal.source();
        }
        return leases.stream().map(Lease::source).max(Comparator.naturalOrder()).orElse(DecisionSource.LOCAL);
    }

    @Override
    public void settle(int actualPermits) {
        if (actualPermits < 0) {
            throw new IllegalArgumentException("actualPermits must not be negative, but is " + actualPermits);
        }
        used.set(true);
        Every.one(leases, lease -> lease.settle(actualPermits));
    }

    @Override
    public void close() {
        used.set(true);
        Every.one(leases, Lease::close);
    }

    @Override
    public void giveBack() {
        undo(Lease::giveBack);
    }

    /** Gives back leases that nobody but the taker has seen; the taker may soon take permits again. */
    static void putBack(Iterable<Lease> leases) {
        Every.one(leases, ChainLease::putBack);
    }

    private static void putBack(Lease lease) {
        if (lease instanceof PermitLease ours) {
            ours.putBack();
        } else if (lease instanceof ChainLease chain) {
            chain.undo(ChainLease::putBack);
        } else {
            lease.giveBack();
        }
    }

    private void undo(Consumer<Lease> how) {
        if (isAcquired() && used.compareAndSet(false, true)) {
            tally.add(-1, 0);
            Every.one(leases, how);
        }
    }
}
