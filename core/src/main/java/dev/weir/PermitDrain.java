package dev.weir;

import dev.weir.limit.PermitPolicy;
import dev.weir.time.TimeSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What happens to those who wait. One thread at a time makes a pass over the queue ({@link SerialDrain}); it only decides, and
 * tells the decisions after it has left. Calls the policy and the time source, never user code.
 */
final class PermitDrain extends Retirable implements HeadAlarm.Sleeper {

    /** The answer of a step that nobody has to be woken for. */
    private static final long NOTHING_DUE = PermitPolicy.AWAIT_SIGNAL;

    final Pause pause = new Pause();

    private final PermitSource source;
    private final TimeSource time;

    private final Expectation expectation = new Expectation();
    private final SerialDrain serial = new SerialDrain();
    private final WaiterStack arrivals = new WaiterStack();
    private final WaiterStack departures = new WaiterStack();

    /** A note to the next pass: more has happened than that requests came or went, and who waits may go. */
    private volatile boolean lookAgain;

    /** A note to the next pass: requests that fitted the limit when they came may fit no more. */
    private volatile boolean limitChanged;

    // Owned by the pass under way
    private final WaitingRoom room;
    private final WaitQueue queue;
    private final Verdicts verdicts;
    private final Admission admission;
    private final HeadAlarm alarm;

    /** By whom the alarm is set, each of which may be nobody: while they are the same, nothing has to be decided for them. */
    private @Nullable Waiter head;

    private @Nullable Waiter probe;
    private @Nullable Waiter firstDeadline;

    PermitDrain(PermitSource source) {
        Terms terms = source.terms();
        this.source = source;
        this.time = terms.time;
        this.queue = new WaitQueue(terms.isNewestFirst, terms.queueLimit);
        this.room = new WaitingRoom(queue);
        this.verdicts = new Verdicts(source, pause, expectation, room);
        this.admission = new Admission(source, pause, room, verdicts);
        this.alarm = new HeadAlarm(time, this, ClockWatch.SHARED);
    }

    /** Makes a request that is from now on counted as waiting, wherever it is. */
    Waiter expect(int permits, long maxWaitNanos, long nowNanos, PermitListener listener) {
        Waiter waiter = new Waiter(this, permits, maxWaitNanos, nowNanos, listener);
        expectation.add(waiter);
        return waiter;
    }

    void noLongerExpect(Waiter waiter) {
        expectation.remove(waiter);
    }

    long waitingPermits() {
        return expectation.permits();
    }

    boolean isExpecting() {
        return expectation.isAny();
    }

    /**
     * Tells whether anybody waits who asked before a request of a chain, or may have, by another clock. Any thread: who is first is
     * looked up without any order, and may be so no more.
     */
    boolean areOthersBefore(Asked asked) {
        Waiter first = head;
        if (first == null || asked.clock() != time) {
            return expectation.isAnyAlone();
        }
        return !asked.isBefore(first);
    }

    @Override
    boolean isUnused() {
        return !isExpecting() && pause.nanosLeft(time.nanoTime()) == 0;
    }

    /** Who learns by an exception that something broke has no request to cancel, and so does not wait. */
    void enter(Waiter waiter) {
        arrivals.push(waiter);
        try {
            drain(waiter);
        } catch (RuntimeException | Error broken) {
            waiter.cancel();
            throw broken;
        }
    }

    void cancelled(Waiter waiter, boolean wasWaiting) {
        noLongerExpect(waiter);
        if (wasWaiting) {
            departures.push(waiter);
            drain(null);
        } else {
            source.left(this);
        }
        if (source.terms().isObserved()) {
            source.terms().tellCancelled(waiter.permits, waiter.waitedNanos(time.nanoTime()));
        }
    }

    void limitChanged() {
        limitChanged = true;
        signal();
    }

    long nanosUntilDue(long nowNanos) {
        return alarm.nanosUntilDue(nowNanos);
    }

    /** Has those who wait looked after, as they may go now: by this thread, or by the one that is at it. */
    void signal() {
        lookAgain();
        drain(null);
    }

    /** Has them looked after in the next pass, whatever that is for. */
    void lookAgain() {
        lookAgain = true;
    }

    @Override
    public void wake() {
        signal();
    }

    @Override
    public void wakeAround(Runnable untilTime) {
        Answers answers = new Answers();
        Every.one(List.of(() -> look(answers), untilTime, () -> look(answers), answers::tell), Runnable::run);
    }

    private void look(Answers answers) {
        lookAgain();
        if (serial.enter()) {
            decide(null, answers);
        }
    }

    /** Has whatever can now be decided decided, by this thread or the one that is at it. Tells what this thread decided. */
    private void drain(@Nullable Waiter newcomer) {
        if (!serial.enter()) {
            return;
        }
        Answers answers = new Answers();
        try {
            decide(newcomer, answers);
        } finally {
            answers.tell();
        }
    }

    private void decide(@Nullable Waiter newcomer, Answers answers) {
        if (!source.isSteady()) {
            answers.beginToDecide();
        }
        passUntilNobodySignals(newcomer, answers);
        source.left(this);
    }

    /** What a clock or timer throws is reported to whoever signalled, and stops nobody else: who signals meanwhile is served. */
    private void passUntilNobodySignals(@Nullable Waiter newcomer, Answers answers) {
        Throwable failure = null;
        Waiter first = newcomer;
        do {
            try {
                pass(timeAfter(first), answers);
            } catch (RuntimeException | Error thrown) {
                failure = thrown;
                lookAgain();
            }
            first = null;
        } while (!serial.leave());
        Caught.rethrow(failure);
    }

    /** Who has just come read the clock a moment ago. To a store, which says when what it has booked may be used, a moment matters. */
    private long timeAfter(@Nullable Waiter newcomer) {
        return newcomer != null && source.isSteady() ? newcomer.sinceNanos : time.nanoTime();
    }

    private void pass(long now, Answers answers) {
        boolean isToLook = takesReasonToLook(now);
        unlinkDepartures();
        if (source.terms().isClosed()) {
            refuseAll(RefusalReason.CLOSED, null, now, answers);
            source.standBack();
            alarm.clear();
            return;
        }
        if (limitChanged) {
            limitChanged = false;
            refuseTooLarge(now, answers);
        }
        long due = isToLook || areOthersFirst() ? serve(now, answers) : alarm.nanosUntilDue(now);
        admitArrivals(now, answers);
        setAlarm(areOthersFirst() ? serve(now, answers) : due, now, answers);
        if (room.isEmpty() || pause.nanosLeft(now) > 0) {
            verdicts.standBack();
        } else if (queue.isEmpty()) {
            source.standBackForHead();
        } else if (room.firstProbe() == null) {
            source.standBackForProbes();
        }
    }

    /** Tells whether who is first may go, or may have to wait for another time than the alarm is set for; if told so, once. */
    private boolean takesReasonToLook(long now) {
        boolean isTold = lookAgain;
        if (isTold) {
            lookAgain = false;
        }
        return isTold || !source.isSteady() || alarm.nanosUntilDue(now) <= 0 || pause.nanosLeft(now) > 0;
    }

    private boolean areOthersFirst() {
        return queue.head() != head || room.firstProbe() != probe || room.firstToRunOutOfTime() != firstDeadline;
    }

    /** Grants and refuses whoever it is time for. Returns how long the next one has to wait. */
    private long serve(long now, Answers answers) {
        long due;
        do {
            due = Math.min(grantHeads(now, answers), grantProbes(now, answers));
        } while (refuseOverdue(now, answers)); // who stood behind one whose time was up may now be first, and go
        head = queue.head();
        probe = room.firstProbe();
        firstDeadline = room.firstToRunOutOfTime();
        long left = firstDeadline == null ? NOTHING_DUE : firstDeadline.nanosLeft(now);
        return left > 0 ? Math.min(due, left) : due;
    }

    private void unlinkDepartures() {
        for (Waiter waiter = departures.takeAll(); waiter != null; ) {
            Waiter next = waiter.onTheWay;
            waiter.onTheWay = null;
            room.remove(waiter);
            waiter = next;
        }
    }

    /** Who cancelled before it asked anew, during this pass, stands in the way of nobody: so those who left are unlinked once more. */
    private void admitArrivals(long now, Answers answers) {
        Waiter first = arrivals.takeAll();
        unlinkDepartures();
        for (Waiter waiter = first; waiter != null; ) {
            Waiter next = waiter.onTheWay;
            waiter.onTheWay = null;
            admission.admit(waiter, now, answers);
            waiter = next;
        }
    }

    /** Grants from the head on, as long as the policy says yes. Returns how long the first that must wait has to. */
    private long grantHeads(long now, Answers answers) {
        for (Waiter first = queue.head(); first != null; first = queue.head()) {
            if (verdicts.isTooLarge(first)) {
                verdicts.refuse(first, RefusalReason.EXHAUSTED, now, answers);
                continue;
            }
            long wait = verdicts.tryGrant(first, now, answers);
            if (wait == PermitPolicy.AWAIT_SIGNAL) {
                return NOTHING_DUE;
            }
            if (first.hasMaxWait() && wait > first.nanosLeft(now)) {
                verdicts.refuse(first, RefusalReason.MAX_WAIT, now, answers);
            } else if (wait > 0) {
                return wait;
            }
        }
        return NOTHING_DUE;
    }

    /** Grants all who only wait for anything to be available, once something is. */
    private long grantProbes(long now, Answers answers) {
        for (Waiter probe = room.firstProbe(); probe != null; probe = room.firstProbe()) {
            long wait = verdicts.tryGrant(probe, now, answers);
            if (wait > 0) {
                return wait;
            }
        }
        return NOTHING_DUE;
    }

    /** Refuses those whose time is up, unless there will soon be another pass for them. Tells whether there were any. */
    private boolean refuseOverdue(long now, Answers answers) {
        Waiter first = room.firstToRunOutOfTime();
        if (first == null || first.nanosLeft(now) > 0 || source.looksOnceMore(first, answers)) {
            return false;
        }
        while (first != null && first.nanosLeft(now) <= 0) {
            verdicts.refuse(first, RefusalReason.MAX_WAIT, now, answers);
            first = room.firstToRunOutOfTime();
        }
        return true;
    }

    /** Refuses those who could never be granted under the present limit. */
    private void refuseTooLarge(long now, Answers answers) {
        for (Waiter waiter = queue.oldest(); waiter != null; ) {
            Waiter newer = waiter.newer;
            if (verdicts.isTooLarge(waiter)) {
                verdicts.refuse(waiter, RefusalReason.EXHAUSTED, now, answers);
            }
            waiter = newer;
        }
    }

    private void refuseAll(RefusalReason reason, @Nullable Throwable cause, long now, Answers answers) {
        for (Waiter waiter = room.anyone(); waiter != null; waiter = room.anyone()) {
            verdicts.refuse(waiter, reason, cause, now, answers);
        }
        for (Waiter waiter = arrivals.takeAll(); waiter != null; ) {
            Waiter next = waiter.onTheWay;
            waiter.onTheWay = null;
            verdicts.refuse(waiter, reason, cause, now, answers);
            waiter = next;
        }
    }

    private void setAlarm(long due, long now, Answers answers) {
        if (due == NOTHING_DUE) {
            alarm.clear();
            return;
        }
        try {
            alarm.setFor(due, now);
        } catch (RuntimeException | Error noMoreTasks) {
            // Without a timer nobody would ever come for those who wait.
            refuseAll(RefusalReason.BACKEND_UNAVAILABLE, noMoreTasks, now, answers);
        }
    }
}
