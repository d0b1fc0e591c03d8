package dev.weir.model;

import dev.weir.Lease;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.limit.WaitingRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The books of a limiter under a script, and what must be true of them after each step, whatever the script was: permits are
 * conserved, the limit keeps its bound over all that was granted, the room taken is the sum of those who wait, there is at
 * most one timer, and nothing is left after the end.
 */
final class PermitLedger {

    private static final class Grant {
        final long at;
        int permits;
        boolean isOpen = true;
        boolean isSettled;
        int out;

        Grant(long at, int permits) {
            this.at = at;
            this.permits = permits;
            this.out = permits;
        }
    }

    private final ScriptTime time;
    private final int queueLimit;
    private final Map<Integer, Integer> waiting = new HashMap<>();
    private final Map<Integer, Grant> grants = new HashMap<>();
    private final List<Grant> log = new ArrayList<>();

    private Limit limit;

    /** What is told at that instant may have been decided before. */
    private long limitSince = -1;

    private boolean closed;

    /** What the arithmetic granted and got back, and what users received and returned. */
    private long granted;

    private long givenBack;
    private long delivered;
    private long returned;
    private String broken = "";

    PermitLedger(Setup setup, ScriptTime time) {
        this.time = time;
        this.limit = setup.limit();
        this.queueLimit = setup.queueLimit() < 0 ? Integer.MAX_VALUE : setup.queueLimit();
    }

    // The side of the users

    void asked(int who, int permits) {
        waiting.put(who, permits);
    }

    void misused(int who) {
        waiting.remove(who);
    }

    void answered(int who, Lease lease) {
        if (waiting.remove(who) == null) {
            broken = "request " + who + " was answered twice, or after it was cancelled";
        }
        if (lease.isAcquired()) {
            grants.put(who, delivered(lease.permits()));
        }
    }

    void consumed(int permits) {
        delivered(permits);
    }

    private Grant delivered(int permits) {
        Grant grant = new Grant(time.elapsed(), permits);
        delivered += permits;
        if (permits > 0) {
            log.add(grant);
        }
        if (permits > 0 && grant.at > limitSince) {
            String exceeded = Bound.exceeded(limit, underThisLimit(), held());
            broken = exceeded.isEmpty() ? broken : exceeded;
        }
        return grant;
    }

    void cancelled(int who) {
        waiting.remove(who);
    }

    void closed(int who) {
        Grant grant = grants.get(who);
        if (grant != null && grant.isOpen) {
            grant.isOpen = false;
            returned += Bound.returnsOnRelease(limit) ? grant.out : 0;
        }
    }

    void settled(int who, int actual) {
        Grant grant = grants.get(who);
        if (grant != null && !grant.isSettled) {
            grant.isSettled = true;
            int less = Math.max(0, grant.permits - actual);
            returned += grant.isOpen || !Bound.returnsOnRelease(limit) ? less : 0;
            grant.out -= grant.isOpen ? less : 0;
            grant.permits -= less;
        }
    }

    void givenBack(int who) {
        Grant grant = grants.get(who);
        if (grant != null && grant.isOpen && !grant.isSettled) {
            grant.isOpen = false;
            grant.isSettled = true;
            returned += grant.permits;
            grant.permits = 0;
        }
    }

    void reconfigured(Limit changed) {
        limit = changed;
        limitSince = time.elapsed();
        log.removeIf(grant -> grant.permits == 0);
    }

    void closedLimiter() {
        closed = true;
    }

    private long held() {
        return delivered - returned;
    }

    private List<Bound.Use> underThisLimit() {
        return log.stream()
                .filter(grant -> grant.at > limitSince || Bound.countsAllThereEverWas(limit))
                .map(grant -> new Bound.Use(grant.at, grant.permits))
                .toList();
    }

    // The side of the arithmetic

    Limit watching(Limit kept) {
        return new DisguisedLimit(kept, (policy, method, arguments) -> {
            Object result = DisguisedLimit.call(policy, method, arguments);
            enter(method.getName(), arguments, result, policy.returnsOnRelease());
            return result;
        });
    }

    private void enter(String method, Object[] arguments, Object result, boolean returnsOnRelease) {
        switch (method) {
            case "tryTake" -> granted += (long) result == PermitPolicy.TAKEN ? (int) arguments[0] : 0;
            case "tryTakeFirst" ->
                granted += (long) result == PermitPolicy.TAKEN ? ((WaitingRequest) arguments[0]).permits() : 0;
            case "giveBack" -> givenBack += (int) arguments[0];
            case "release" -> givenBack += returnsOnRelease ? (int) arguments[0] : 0;
            case "releaseSome" -> givenBack += (boolean) result ? (int) arguments[0] : 0;
            case "settle" -> {
                boolean isLate = (boolean) arguments[2] && returnsOnRelease;
                givenBack += isLate ? 0 : Math.max(0, (int) arguments[0] - (int) arguments[1]);
            }
            default -> {}
        }
    }

    // The oracle

    /** Returns what is wrong; empty if nothing. */
    String complaint(long queuedPermits) {
        long waitingPermits =
                waiting.values().stream().mapToLong(Integer::longValue).sum();
        if (!broken.isEmpty()) {
            return broken;
        } else if (granted - givenBack != delivered - returned) {
            return "granted " + granted + ", given back " + givenBack + ", but delivered " + delivered
                    + ", returned by users " + returned;
        } else if (queuedPermits != waitingPermits) {
            return queuedPermits + " permits of room are taken, but requests for " + waitingPermits + " wait";
        } else if (waitingPermits > queueLimit) {
            return "requests for " + waitingPermits + " permits wait, in room for " + queueLimit;
        } else if (time.pendingTasks() > 1 || (waiting.isEmpty() && time.pendingTasks() > 0)) {
            return time.pendingTasks() + " timers for " + waiting.size() + " requests";
        } else if (closed && (!waiting.isEmpty() || time.pendingTasks() > 0)) {
            return "after the end, " + waiting + " still wait, and " + time.pendingTasks() + " timers";
        }
        return "";
    }
}
