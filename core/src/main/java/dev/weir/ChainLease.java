package dev.weir;

import dev.weir.handle.Every;
import dev.weir.limit.DecisionSource;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** What a {@link Chain} grants: the leases of all members combined. */
final class ChainLease implements Lease {

    private final int permits;
    private final List<Lease> leases;
    private final Tally tally;

    /** Whether this was settled, closed or given back: whichever comes first decides whether it can still be undone. */
    private final AtomicBoolean used = new AtomicBoolean();

    ChainLease(int permits, List<Lease> leases, Tally tally) {
        this.permits = permits;
        this.leases = leases;
        this.tally = tally;
    }

    @Override
    public int permits() {
        return permits;
    }

    @Override
    public boolean isAcquired() {
        return true;
    }

    @Override
    public Optional<RefusalReason> reason() {
        return Optional.empty();
    }

    @Override
    public Optional<Duration> retryAfter() {
        return Optional.empty();
    }

    /** Returns the source furthest from the usual: the last in enum order of the members' sources. */
    @Override
    public DecisionSource source() {
        return leases.stream().map(Lease::source).max(Comparator.naturalOrder()).orElseThrow();
    }

    @Override
    public void settle(int actualPermits) {
        PermitLease.checkActual(actualPermits);
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

    static void putBack(Lease lease) {
        if (lease instanceof PermitLease ours) {
            ours.putBack();
        } else if (lease instanceof ChainLease chain) {
            chain.undo(ChainLease::putBack);
        } else {
            lease.giveBack();
        }
    }

    private void undo(Consumer<Lease> how) {
        if (used.compareAndSet(false, true)) {
            tally.add(-1, 0);
            Every.one(leases, how);
        }
    }
}
