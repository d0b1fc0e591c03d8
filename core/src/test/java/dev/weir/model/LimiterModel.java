package dev.weir.model;

import dev.weir.RateLimiterStatistics;
import dev.weir.RefusalReason;
import dev.weir.limit.Limit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** A limiter for one thread, as its documentation says it: what can be done to it, on top of who waits. */
final class LimiterModel extends WaitingModel {

    private final Map<Integer, RequestModel> requests = new HashMap<>();

    /** Whether grants were undone, or the limit changed: then since when the limiter has been idle is a matter of taste. */
    private boolean undone;

    LimiterModel(Setup setup) {
        super(setup);
    }

    // Asking

    @Override
    public void acquire(int who, int permits, long maxWaitNanos, List<Step> reaction) {
        if (isMisuse(permits)) {
            return;
        }
        RequestModel request = new RequestModel(who, permits, now, deadline(maxWaitNanos), reaction);
        if (mayTakeNow(permits) || request.deadline() == now) {
            tellInTurn(answer(request));
        } else {
            pass(List.of(request));
        }
        requests.put(who, request);
    }

    /** Of the bounds of the limiter and of the request the shorter holds. */
    private long deadline(long maxWaitNanos) {
        long ofLimiter = setup.maxWaitNanos() < 0 ? NONE : now + setup.maxWaitNanos();
        return maxWaitNanos < 0 ? ofLimiter : Math.min(ofLimiter, now + maxWaitNanos);
    }

    @Override
    public void tryAcquire(int who, int permits) {
        if (!isMisuse(permits)) {
            answer(new RequestModel(who, permits, now, now, List.of())).run();
        }
    }

    /** Decides now; to be told. */
    private Runnable answer(RequestModel request) {
        long at = now;
        if (mayTakeNow(request.permits())) {
            take(request.permits());
            return () -> tellGranted(request, at);
        }
        refused++;
        RefusalReason reason = isPaused() ? RefusalReason.PAUSED : RefusalReason.EXHAUSTED;
        long retry = retryAfter(request.permits());
        return () -> tellRefused(request, reason, retry);
    }

    /** Not where permits come back by closing leases, as there would be none to close. */
    @Override
    public void tryConsume(int permits) {
        if (!isMisuse(permits)) {
            boolean consumed = !limit.returnsOnRelease() && mayTakeNow(permits);
            if (consumed) {
                take(permits);
                hear(Heard.acquired(permits, 0));
            }
            hear("consumed: " + consumed);
        }
    }

    /** Nobody overtakes a queue that is oldest-first; but asking for nothing overtakes nobody. */
    private boolean mayTakeNow(int permits) {
        boolean overtakes = permits > 0 && !isNewestFirst() && !queue().isEmpty();
        return !isPaused() && !overtakes && firstFit(0, permits) == now;
    }

    private boolean isMisuse(int permits) {
        return isMisuseAfterClose() || isIllegal(permits < 0 || permits > limit.capacity());
    }

    private boolean isIllegal(boolean number) {
        if (number) {
            hear("IllegalArgumentException");
        }
        return number;
    }

    private boolean isMisuseAfterClose() {
        if (closed) {
            hear("IllegalStateException");
        }
        return closed;
    }

    /** Those who can now go do so before the observer hears of it. */
    @Override
    public void cancel(int who) {
        RequestModel request = requests.get(who);
        if (request == null) {
            return;
        }
        boolean waits = waiting.contains(request);
        if (waits) {
            leave(request);
            pass();
            hear(Heard.cancelled(request.permits(), now - request.since()));
        }
        hear("cancelled " + who + ": " + waits);
    }

    // Leases

    @Override
    public void close(int who) {
        LeaseModel lease = leases.get(who);
        if (lease != null && !lease.closed) {
            lease.closed = true;
            if (limit.returnsOnRelease() && lease.permits > 0) {
                if (lease.out > 0) {
                    limit.release(lease.out);
                    usedAt = now;
                }
                pass();
            }
        }
    }

    @Override
    public void settle(int who, int actual) {
        LeaseModel lease = leases.get(who);
        if (lease != null && actual < 0) {
            hear("IllegalArgumentException");
        } else if (lease != null && !lease.settled) {
            lease.settled = true;
            lease.out = Math.min(lease.permits, actual);
            limit.settle(lease.permits, actual, lease.closed, lease.takenAt, now);
            usedAt = limit.isFull(now) ? usedAt : now;
            undone |= actual < lease.permits;
            if (actual < lease.permits) {
                pass();
            }
        }
    }

    /** As if it had never been, unless something has been done with it. */
    @Override
    public void giveBack(int who) {
        LeaseModel lease = leases.get(who);
        if (lease != null && !lease.closed && !lease.settled) {
            lease.closed = true;
            lease.settled = true;
            acquired--;
            if (lease.permits > 0) {
                limit.giveBack(lease.permits, lease.takenAt, now);
                undone = true;
                pass();
            }
        }
    }

    // Steering

    @Override
    public void charge(int permits) {
        if (!isMisuseAfterClose() && !isIllegal(permits < 0) && permits > 0) {
            limit.charge(permits, now);
            usedAt = limit.isFull(now) ? usedAt : now;
        }
    }

    @Override
    public void pause(long nanos) {
        if (!isMisuseAfterClose()) {
            pausedUntil = Math.max(pausedUntil, now + nanos);
        }
    }

    @Override
    public void reconfigure(Limit changed) {
        if (!setup.mayReconfigure(available()) || isMisuseAfterClose()) {
            return;
        }
        limit.reconfigure(changed, now);
        undone = true;
        queue().stream()
                .filter(request -> request.permits() > limit.capacity())
                .forEach(request -> refuse(request, RefusalReason.EXHAUSTED));
        pass();
    }

    @Override
    public void closeLimiter() {
        closed = true;
        pass();
    }

    // Time

    @Override
    public void advance(long nanos) {
        long end = now + nanos;
        while (timer <= end) {
            now = Math.max(now, timer);
            timer = NONE;
            pass();
        }
        now = Math.max(now, end);
    }

    @Override
    public void jump(long nanos) {
        now += nanos;
        advance(0);
    }

    @Override
    public void fireTimers() {
        if (timer != NONE) {
            timer = NONE;
            pass();
            pass();
        }
    }

    @Override
    public void refuseTasks(boolean refuse) {
        refusingTasks = refuse;
    }

    @Override
    public void fail() {
        throw new EngineSubject.OnPurpose();
    }

    // Reading

    private long available() {
        long free = limit.available(now);
        return isPaused() ? Math.min(0, free) : free;
    }

    @Override
    public String state() {
        RateLimiterStatistics statistics = new RateLimiterStatistics(available(), waitingPermits(), acquired, refused);
        boolean idle = waiting.isEmpty() && !isPaused() && limit.isFull(now);
        return Heard.state(available(), statistics, timer == NONE ? 0 : 1, idle);
    }

    /** For how long nothing has been taken that still counts; empty while something is, and where it is a matter of taste. */
    OptionalLong nanosSinceFull() {
        return undone || !limit.isFull(now)
                ? OptionalLong.empty()
                : OptionalLong.of(now - Instants.first(usedAt, limit::isFull));
    }
}
