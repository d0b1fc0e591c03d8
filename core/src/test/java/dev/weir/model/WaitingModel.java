package dev.weir.model;

import dev.weir.QueueOrder;
import dev.weir.RefusalReason;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/**
 * Those who wait for a limiter, as its documentation says it: a list, a limit, a pause, and one timer. For one thread.
 *
 * <p>Whatever may let somebody go makes a pass over the queue. A pass only decides; what it decided is told afterwards, in
 * order, and what is decided while it is told is told after that.
 */
abstract class WaitingModel implements Subject {

    static final long NONE = LimitModel.NEVER;

    final Setup setup;
    final LimitModel limit;

    /** Those who wait, in the order in which they came. */
    final List<RequestModel> waiting = new ArrayList<>();

    final Map<Integer, LeaseModel> leases = new HashMap<>();

    long now;
    long pausedUntil;
    long timer = NONE;

    /** The permits of the request that was first when the queue was served last, zero if there was none. */
    private int first;

    boolean refusingTasks;
    boolean closed;
    long acquired;
    long refused;

    /** When the limit was last taken from, charged, or given something back. */
    long usedAt;

    private final Queue<Runnable> toTell = new ArrayDeque<>();
    private final List<String> heard = new ArrayList<>();
    private boolean telling;

    WaitingModel(Setup setup) {
        this.setup = setup;
        this.limit = LimitModel.of(setup.limit());
    }

    // A pass

    final void pass() {
        pass(List.of());
    }

    final void pass(List<RequestModel> arriving) {
        if (closed) {
            refuseAll(RefusalReason.CLOSED);
            timer = NONE;
        } else {
            serve();
            arriving.forEach(this::admit);
            setTimer(serve());
        }
        tell();
    }

    /** Grants from the head on, then whoever waits for anything; refuses who is out of time. Returns when there is more to do. */
    private long serve() {
        long due;
        do {
            due = Math.min(serveQueue(), serveProbes());
        } while (refuseOverdue());
        first = queue().isEmpty() ? 0 : head().permits();
        for (RequestModel request : waiting) {
            due = Math.min(due, request.deadline());
        }
        return due;
    }

    /** The head is not overtaken by those behind it; it is refused as soon as it is clear that it would wait too long. */
    private long serveQueue() {
        while (!queue().isEmpty()) {
            RequestModel head = head();
            long due = whenFits(head);
            if (due == now) {
                grant(head);
            } else if (due != NONE && due > head.deadline()) {
                refuse(head, RefusalReason.MAX_WAIT);
            } else {
                return due;
            }
        }
        return NONE;
    }

    private RequestModel head() {
        return queue().get(isNewestFirst() ? queue().size() - 1 : 0);
    }

    private long serveProbes() {
        for (RequestModel probe : probes()) {
            long due = whenFits(probe);
            if (due > now) {
                return due;
            }
            grant(probe);
        }
        return NONE;
    }

    /** When that request could go if it is the next; during a pause, not before its end. */
    private long whenFits(RequestModel request) {
        return isPaused() ? pausedUntil : firstFit(0, request.permits());
    }

    private boolean refuseOverdue() {
        List<RequestModel> overdue = waiting.stream()
                .filter(request -> request.deadline() <= now)
                .sorted(Comparator.comparingLong(RequestModel::deadline))
                .toList();
        overdue.forEach(request -> refuse(request, RefusalReason.MAX_WAIT));
        return !overdue.isEmpty();
    }

    private void admit(RequestModel request) {
        int permits = request.permits();
        long ahead = isNewestFirst() || permits == 0 ? 0 : waitingPermits();
        if (permits > 0 && ahead == 0 && whenFits(request) == now) {
            grant(request);
        } else if (cannotWaitLongEnough(request, ahead)) {
            refuse(request, RefusalReason.MAX_WAIT);
        } else if (permits > room() && (!isNewestFirst() || permits > roomInAll())) {
            refuse(request, RefusalReason.QUEUE_FULL);
        } else {
            while (permits > room()) {
                refuse(queue().get(0), RefusalReason.EVICTED);
            }
            waiting.add(request);
            toTell.add(() -> hear(Heard.queued(permits)));
        }
    }

    private boolean cannotWaitLongEnough(RequestModel request, long ahead) {
        long start = Math.max(now, pausedUntil);
        return limit.firstFitAsFarAsKnown(ahead, Math.max(1, request.permits()), start) > request.deadline();
    }

    final void refuseAll(RefusalReason reason) {
        queue().forEach(request -> refuse(request, reason));
        probes().forEach(request -> refuse(request, reason));
    }

    private void setTimer(long due) {
        if (due == NONE) {
            timer = NONE;
        } else if (due < timer) { // one that is set for earlier stays
            timer = refusingTasks ? NONE : due;
            if (refusingTasks) {
                refuseAll(RefusalReason.BACKEND_UNAVAILABLE);
            }
        }
    }

    // Telling apart

    final boolean isNewestFirst() {
        return setup.order() == QueueOrder.NEWEST_FIRST;
    }

    final boolean isPaused() {
        return now < pausedUntil;
    }

    final List<RequestModel> queue() {
        return waiting.stream().filter(request -> request.permits() > 0).toList();
    }

    /** Who asked for nothing stands in nobody's way, and waits for anything to be available. */
    private List<RequestModel> probes() {
        return waiting.stream().filter(request -> request.permits() == 0).toList();
    }

    final long waitingPermits() {
        return waiting.stream().mapToLong(RequestModel::permits).sum();
    }

    private long roomInAll() {
        return setup.queueLimit() < 0 ? Integer.MAX_VALUE : setup.queueLimit();
    }

    private long room() {
        return roomInAll() - waitingPermits();
    }

    /** Asking for nothing is asking whether anything is there. */
    final long firstFit(long ahead, int permits) {
        return limit.firstFit(ahead, Math.max(1, permits), now);
    }

    /** How long until the same request would succeed, if nobody else asked; where only others are in its way, until the first goes. */
    final long retryAfter(int permits) {
        if (permits > limit.capacity()) {
            return NONE;
        }
        long fit = firstFit(0, permits);
        if (fit == NONE) {
            return NONE;
        }
        long wait = Math.max(pausedUntil, fit) - now;
        return wait > 0 ? wait : untilFirstGoes();
    }

    private long untilFirstGoes() {
        long fit = first == 0 ? now : firstFit(0, first);
        return fit == NONE ? NONE : Math.max(1, fit - now);
    }

    // Answers

    final void take(int permits) {
        if (permits > 0) {
            limit.take(permits, now);
            usedAt = now;
        }
        acquired++;
    }

    private void grant(RequestModel request) {
        take(request.permits());
        leave(request);
        long at = now;
        toTell.add(() -> tellGranted(request, at));
    }

    final void tellGranted(RequestModel request, long at) {
        hear(Heard.acquired(request.permits(), at - request.since()));
        leases.put(request.who(), new LeaseModel(request.permits(), at));
        hear(Heard.granted(request.who(), request.permits()));
        react(request);
    }

    final void refuse(RequestModel request, RefusalReason reason) {
        leave(request);
        refused++;
        long retry = reason == RefusalReason.CLOSED ? NONE : retryAfter(request.permits());
        toTell.add(() -> tellRefused(request, reason, retry));
    }

    final void tellRefused(RequestModel request, RefusalReason reason, long retry) {
        hear(Heard.refused(request.permits(), reason));
        leases.put(request.who(), LeaseModel.refused());
        hear(Heard.refusal(request.who(), request.permits(), reason, retry));
        react(request);
    }

    private void react(RequestModel request) {
        try {
            request.reaction().forEach(step -> step.playOn(this));
        } catch (EngineSubject.OnPurpose e) {
            hear("uncaught");
        }
    }

    final void leave(RequestModel request) {
        waiting.remove(request);
    }

    /** Tells an answer now, or after those that are being told. */
    final void tellInTurn(Runnable answer) {
        toTell.add(answer);
        tell();
    }

    private void tell() {
        if (!telling) {
            telling = true;
            while (!toTell.isEmpty()) {
                toTell.remove().run();
            }
            telling = false;
        }
    }

    final void hear(String what) {
        heard.add(Heard.at(now, what));
    }

    @Override
    public final List<String> heard() {
        return heard;
    }
}
