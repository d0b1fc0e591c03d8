package dev.weir;

import dev.weir.limit.AllOf;
import dev.weir.limit.CountingCalls;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.limit.PolicyFactory;
import dev.weir.time.TimeSource;
import java.util.Objects;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a limiter: its limit and its settings. An immutable value, replaced as a whole when the limit changes or
 * the limiter is closed, and shared by all limiters that are alike.
 */
final class Terms {

    /** The capacity of a closed limiter: no request fits it. */
    private static final int CLOSED = -1;

    private static final TimeSource SYSTEM = TimeSource.system();

    final String name;
    final Limit limit;

    /** The capacity of the limit, or negative when closed, so that a request is checked with one comparison. */
    final int capacity;

    final TimeSource time;
    final boolean isNewestFirst;
    final int queueLimit;
    final long maxWaitNanos;

    /** The counters; absent for a limiter that is one of many, which counts in its account until the numbers are large. */
    final @Nullable Tally tally;

    /** Whether there is no observer, the source of decisions is always this JVM, and nothing but the limit refuses. */
    final boolean isPlain;

    /** What these were made from. Not changed any more. */
    private final Settings settings;

    private final @Nullable RateLimiterObserver observer;
    private final @Nullable ObjIntConsumer<Object> lateCharges;

    /** The factory of policies; absent if limits create their own. */
    private final @Nullable PolicyFactory policies;

    /** Created when first needed. Racy, benign: one copy is as good as another. */
    private @Nullable Terms closed;

    private Terms(
            Settings settings,
            Limit limit,
            int capacity,
            @Nullable Tally tally,
            @Nullable ObjIntConsumer<Object> lateCharges) {
        this.settings = settings;
        this.name = Objects.requireNonNull(settings.name, "name");
        this.limit = limit;
        this.capacity = capacity;
        this.time = settings.timeSource;
        this.isNewestFirst = settings.queueOrder == QueueOrder.NEWEST_FIRST;
        this.queueLimit = settings.queueLimit;
        this.maxWaitNanos = settings.maxWaitNanos;
        this.tally = tally;
        this.observer = settings.observer;
        this.lateCharges = lateCharges;
        this.policies = settings.policies;
        this.isPlain = observer == null && policies == null && isBuiltIn(limit);
    }

    /** Only the policy of a limit of somebody else's making may tell of a failure. */
    private static boolean isBuiltIn(Limit limit) {
        if (limit instanceof AllOf all) {
            return all.limits().stream().allMatch(Terms::isBuiltIn);
        }
        return limit instanceof CountingCalls calls
                ? isBuiltIn(calls.limit())
                : limit.getClass().getPackage() == Limit.class.getPackage();
    }

    /** For a limiter that stands alone, named after its limit unless it has a name. */
    static Terms alone(Settings settings, Limit limit) {
        return new Terms(settings.copy(limit.toString()), limit, capacityOf(limit), new Tally(), null);
    }

    /**
     * For many limiters, one for each key, which share the settings; charges for a key whose limiter is retired go to
     * {@code lateCharges}.
     */
    static Terms oneOfMany(Settings settings, Limit limit, ObjIntConsumer<Object> lateCharges) {
        return new Terms(settings, limit, capacityOf(limit), null, lateCharges);
    }

    /** Returns the capacity of a limit, which may be somebody else's: one without a permit would look closed. */
    private static int capacityOf(Limit limit) {
        int capacity = limit.capacity();
        if (capacity <= 0) {
            throw new IllegalArgumentException("the capacity of " + limit + " must be positive, but is " + capacity);
        }
        return capacity;
    }

    Terms with(Limit changed) {
        return new Terms(settings, changed, capacityOf(changed), tally, lateCharges);
    }

    Terms withTally() {
        return new Terms(settings, limit, capacity, new Tally(), lateCharges);
    }

    Terms closed() {
        if (isClosed()) {
            return this;
        }
        Terms made = closed;
        if (made == null) {
            made = new Terms(settings, limit, CLOSED, tally, lateCharges);
            closed = made;
        }
        return made;
    }

    /** Returns the time. The usual source is compared by identity, so that the JIT compiler can inline it without a type check. */
    long now() {
        TimeSource time = this.time;
        return time == SYSTEM ? SYSTEM.nanoTime() : time.nanoTime();
    }

    boolean isClosed() {
        return capacity == CLOSED;
    }

    void check(int permits) {
        if ((permits | capacity - permits) < 0) { // either is negative
            complain(permits);
        }
    }

    private void complain(int permits) {
        checkOpen();
        throw new IllegalArgumentException(
                "permits must be between 0 and " + capacity + ", the capacity of " + limit + ", but is " + permits);
    }

    static void checkCharge(Limit limit, int permits) {
        if (permits < 0) {
            throw new IllegalArgumentException(
                    "permits charged to " + limit + " must not be negative, but is " + permits);
        }
    }

    void checkOpen() {
        if (isClosed()) {
            throw new IllegalStateException("Rate limiter '" + name + "' is closed");
        }
    }

    PermitPolicy newPolicy(@Nullable Object key, long nowNanos) {
        return policies == null ? limit.newPolicy(nowNanos) : policies.newPolicy(limit, key, nowNanos);
    }

    /**
     * Returns whether there can ever be permits for {@code askers} requests of {@code permits} each at one moment. The capacity does not
     * tell, if the limit spaces permits or counts requests: a policy of which nothing has been used is asked, once it is full.
     */
    boolean everHas(int askers, int permits) {
        long now = now();
        PermitPolicy unused = limit.newPolicy(now);
        unused.signalTo(() -> {});
        long untilFull = unused.nanosUntilFull(now);
        long full = untilFull == PermitPolicy.AWAIT_SIGNAL ? now : now + untilFull;
        int granted = 0;
        while (granted < askers && unused.tryTake(permits, full) == PermitPolicy.TAKEN) {
            granted++;
        }
        return granted == askers;
    }

    /** Returns whether permits are kept elsewhere, so that the source of a decision matters. */
    boolean isRemote() {
        return policies != null;
    }

    boolean isOneOfMany() {
        return lateCharges != null;
    }

    void chargeLate(@Nullable Object key, int permits) {
        if (lateCharges != null && key != null) {
            lateCharges.accept(key, permits);
        }
    }

    boolean isObserved() {
        return observer != null;
    }

    /** Reports an answer that was available immediately to the observer. */
    void tell(Lease lease) {
        if (lease.isAcquired()) {
            tellAcquired(lease.permits(), 0, lease.source());
        } else {
            tellRefused(lease);
        }
    }

    void tellAcquired(int permits, long waitedNanos, DecisionSource source) {
        if (observer != null) {
            Delivery.tell(() -> observer.onAcquired(permits, waitedNanos, source));
        }
    }

    void tellRefused(Lease refusal) {
        if (observer != null) {
            RefusalReason reason = refusal.reason().orElseThrow();
            Delivery.tell(() -> observer.onRefused(refusal.permits(), reason, refusal.source()));
        }
    }

    void tellQueued(int permits) {
        if (observer != null) {
            Delivery.tell(() -> observer.onQueued(permits));
        }
    }

    void tellCancelled(int permits, long waitedNanos) {
        if (observer != null) {
            Delivery.tell(() -> observer.onCancelled(permits, waitedNanos));
        }
    }
}
