package dev.weir.model;

import dev.weir.Lease;
import dev.weir.PermitListener;
import dev.weir.PermitRequest;
import dev.weir.RateLimiter;
import dev.weir.RateLimiterObserver;
import dev.weir.RateLimiterStatistics;
import dev.weir.RefusalReason;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;

/** A real limiter that a script is played on, with a ledger beside it. */
final class EngineSubject implements Subject, RateLimiterObserver {

    private final Setup setup;
    private final ScriptTime time;
    private final RateLimiter limiter;
    private final UnaryOperator<Limit> disguise;
    private final PermitLedger ledger;
    private final Map<Integer, PermitRequest> requests = new HashMap<>();
    private final Map<Integer, Lease> leases = new HashMap<>();
    private final List<String> heard = new ArrayList<>();

    /** What a listener throws on purpose. */
    static final class OnPurpose extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /**
     * Makes a limiter.
     *
     * @param setup which
     * @param planted puts a fault into its limit, to see it found
     */
    EngineSubject(Setup setup, UnaryOperator<Limit> planted) {
        this.setup = setup;
        time = new ScriptTime(setup.originNanos());
        ledger = new PermitLedger(setup, time);
        disguise = limit -> ledger.watching(planted.apply(limit));
        RateLimiter.Builder builder = RateLimiter.builder(disguise.apply(setup.limit()))
                .timeSource(time)
                .observer(this)
                .queueOrder(setup.order());
        if (setup.queueLimit() >= 0) {
            builder.queueLimit(setup.queueLimit());
        }
        if (setup.maxWaitNanos() >= 0) {
            builder.maxWait(Duration.ofNanos(setup.maxWaitNanos()));
        }
        limiter = builder.build();
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> uncaught(thrown));
    }

    private void uncaught(Throwable thrown) {
        if (!(thrown instanceof OnPurpose)) {
            throw new AssertionError(thrown);
        }
        hear("uncaught");
    }

    @Override
    public void acquire(int who, int permits, long maxWaitNanos, List<Step> reaction) {
        PermitListener listener = lease -> {
            answered(who, lease);
            reaction.forEach(step -> step.playOn(this));
        };
        ledger.asked(who, permits);
        attempt(
                who,
                () -> requests.put(
                        who,
                        maxWaitNanos < 0
                                ? limiter.acquire(permits, listener)
                                : limiter.acquire(permits, Duration.ofNanos(maxWaitNanos), listener)));
    }

    private void answered(int who, Lease lease) {
        leases.put(who, lease);
        ledger.answered(who, lease);
        hear(Heard.answer(who, lease));
    }

    @Override
    public void tryAcquire(int who, int permits) {
        ledger.asked(who, permits);
        attempt(who, () -> answered(who, limiter.tryAcquire(permits)));
    }

    @Override
    public void tryConsume(int permits) {
        attempt(() -> {
            boolean consumed = limiter.tryConsume(permits);
            if (consumed) {
                ledger.consumed(permits);
            }
            hear("consumed: " + consumed);
        });
    }

    @Override
    public void cancel(int who) {
        PermitRequest request = requests.get(who);
        if (request != null) {
            boolean settled = request.isSettled();
            if (!settled) {
                ledger.cancelled(who);
            }
            boolean cancelled = request.cancel();
            hear("cancelled " + who + ": " + cancelled + (cancelled == settled ? ", but was settled: " + settled : ""));
        }
    }

    @Override
    public void close(int who) {
        Lease lease = leases.get(who);
        if (lease != null) {
            ledger.closed(who);
            lease.close();
        }
    }

    @Override
    public void settle(int who, int actualPermits) {
        Lease lease = leases.get(who);
        if (lease != null) {
            attempt(() -> {
                if (actualPermits >= 0) {
                    ledger.settled(who, actualPermits);
                }
                lease.settle(actualPermits);
            });
        }
    }

    @Override
    public void giveBack(int who) {
        Lease lease = leases.get(who);
        if (lease != null) {
            ledger.givenBack(who);
            lease.giveBack();
        }
    }

    @Override
    public void charge(int permits) {
        attempt(() -> limiter.charge(permits));
    }

    @Override
    public void pause(long nanos) {
        attempt(() -> limiter.pauseFor(Duration.ofNanos(nanos)));
    }

    @Override
    public void reconfigure(Limit limit) {
        if (setup.mayReconfigure(limiter.availablePermits())) {
            attempt(() -> {
                ledger.reconfigured(limit);
                limiter.reconfigure(disguise.apply(limit));
            });
        }
    }

    @Override
    public void closeLimiter() {
        ledger.closedLimiter();
        limiter.close();
    }

    @Override
    public void advance(long nanos) {
        time.advance(nanos);
    }

    @Override
    public void jump(long nanos) {
        time.jump(nanos);
    }

    @Override
    public void fireTimers() {
        time.fireTwice();
    }

    @Override
    public void refuseTasks(boolean refuse) {
        time.refuseTasks(refuse);
    }

    @Override
    public void fail() {
        throw new OnPurpose();
    }

    private void attempt(Runnable call) {
        attempt(0, call);
    }

    /** Misuse is an exception, and whatever was called has done nothing. */
    private void attempt(int who, Runnable call) {
        try {
            call.run();
        } catch (IllegalArgumentException | IllegalStateException e) {
            ledger.misused(who);
            hear(e.getClass().getSimpleName());
        }
    }

    @Override
    public void onAcquired(int permits, long waitedNanos) {
        hear(Heard.acquired(permits, waitedNanos));
    }

    @Override
    public void onQueued(int permits) {
        hear(Heard.queued(permits));
    }

    @Override
    public void onRefused(int permits, RefusalReason reason) {
        hear(Heard.refused(permits, reason));
    }

    @Override
    public void onCancelled(int permits, long waitedNanos) {
        hear(Heard.cancelled(permits, waitedNanos));
    }

    private void hear(String what) {
        heard.add(Heard.at(time.elapsed(), what));
    }

    @Override
    public List<String> heard() {
        return heard;
    }

    @Override
    public String state() {
        RateLimiterStatistics statistics = limiter.statistics();
        boolean idle = limiter.idleDuration().isPresent();
        return Heard.state(limiter.availablePermits(), statistics, time.pendingTasks(), idle);
    }

    OptionalLong idleNanos() {
        return limiter.idleDuration().stream().mapToLong(Duration::toNanos).findFirst();
    }

    /** What the ledger has to complain of; empty if nothing. */
    String complaint() {
        return ledger.complaint(limiter.statistics().queuedPermits());
    }
}
