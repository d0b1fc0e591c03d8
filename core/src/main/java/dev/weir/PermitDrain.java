package dev.weir;

import dev.weir.handle.Caught;
import dev.weir.handle.Every;
import dev.weir.time.TimeSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Serves the waiting requests. One thread at a time makes a pass over the queue ({@link SerialDrain}); it only decides, and
 * delivers the answers after it has left. Calls the source of the permits, which may be limiters and limits of others, and the time
 * source, but never a listener or an observer.
 */
final class PermitDrain extends Retirable implements HeadAlarm.Sleeper {

    /** How many passes a thread makes in a row, while others keep signalling, before it delivers its answers. */
    static final int MOST_PASSES = 100;

    final Pause pause = new Pause();

    private final PermitSource source;
    private final TimeSource time;

    private final Unsettled unsettled = new Unsettled();
    private final SerialDrain serial = new SerialDrain();
    private final WaiterStack arrivals = new WaiterStack();
    private final WaiterStack departures = new WaiterStack();

    /** Tells the next pass that more has happened than that requests came or left: waiting requests may be granted. */
    private volatile boolean lookAgain;

    /** Tells the next pass that requests may no longer fit the limit. */
    private volatile boolean limitChanged;

    // Owned by the pass under way
    private final WaitingRoom room;
    private final WaitQueue queue;
    private final Verdicts verdicts;
    private final Admission admission;
    private final Refusals refusals;
    private final HeadAlarm alarm;
    private final SpareAlarm spare;

    /** The waiters that determined the alarm, each may be null: while they are the same, nothing has to be decided for them. */
    private @Nullable Waiter alarmHead;

    private @Nullable Waiter alarmProbe;
    private @Nullable Waiter alarmDeadline;

    PermitDrain(PermitSource source) {
        Terms terms = source.terms();
        this.source = source;
        this.time = terms.time;
        this.queue = new WaitQueue(terms.isNewestFirst, terms.queueLimit);
        this.room = new WaitingRoom(queue);
        this.verdicts = new Verdicts(source, pause, unsettled, room);
        this.admission = new Admission(source, room, verdicts);
        this.refusals = new Refusals(source, arrivals, room, verdicts);
        this.alarm = new HeadAlarm(time, this, ClockWatch.SHARED);
        this.spare = new SpareAlarm(time, this);
    }

    /** Creates a request and counts it as waiting from now on, wherever it is. */
    Waiter newWaiter(int permits, long maxWaitNanos, boolean awaitsStoreOnly, long nowNanos, PermitListener listener) {
        Waiter waiter = new Waiter(this, permits, maxWaitNanos, awaitsStoreOnly, nowNanos, listener);
        unsettled.add(waiter);
        return waiter;
    }

    void noLongerExpect(Waiter waiter) {
        unsettled.remove(waiter);
    }

    long waitingPermits() {
        return unsettled.permits();
    }

    /** Returns what a newcomer waits behind. Inside the drain only. */
    Ahead aheadOf(Waiter newcomer) {
        return queue.aheadOf(newcomer);
    }

    boolean isExpecting() {
        return unsettled.isAny();
    }

    /** Returns whether an older request waits, or may do so if the clocks differ. Any thread; the head is read racily. */
    boolean areOthersBefore(ChainRequest chainRequest) {
        Waiter first = alarmHead;
        if (first == null || chainRequest.clock() != time) {
            return unsettled.isAnyAlone();
        }
        return !chainRequest.isBefore(first);
    }

    /**
     * A drain in which a thread is inside is in use. That thread may hold permits for a request that has just been cancelled, and gives
     * them back to those who wait here; those who wait in another drain would not hear of them. A thread that enters later finds the
     * request cancelled.
     *
     * <p>So is a drain with a departed request that is still linked. Whoever unlinks the last one cancels the reservations, which may be
     * those of another drain by then. So a request departs before it is no longer expected.
     */
    @Override
    boolean isUnused() {
        return !isExpecting() && departures.isEmpty() && serial.isIdle() && !pause.isOn(time.nanoTime());
    }

    /** If this throws, the caller has no request to cancel, so the waiter is cancelled here. */
    void enter(Waiter waiter) {
        arrivals.push(waiter);
        try {
            drain(waiter);
        } catch (Throwable broken) {
            waiter.cancel();
            throw broken;
        }
    }

    void cancelled(Waiter waiter, boolean wasWaiting) {
        if (wasWaiting) {
            departures.push(waiter);
            noLongerExpect(waiter);
            drain(null);
        } else {
            noLongerExpect(waiter);
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

    /** Returns the permits of the first request, zero if none waits or the first is only now being found. Any thread; racy. */
    int permitsOfFirst() {
        Waiter first = alarmHead;
        return first == null ? 0 : first.permits;
    }

    /** Serves the waiting requests, as some may be granted now: on this thread, or on the one that is inside the drain. */
    void signal() {
        lookAgain();
        drain(null);
    }

    /** Makes the next pass serve the waiting requests, whatever triggers it. */
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
        Every.one(List.of(() -> look(answers), untilTime, () -> look(answers), answers::deliver), Runnable::run);
    }

    private void look(Answers answers) {
        lookAgain();
        decide(null, answers);
    }

    /** Decides all that can be decided now, on this thread or on the one inside the drain. Delivers what this thread decided. */
    private void drain(@Nullable Waiter newcomer) {
        Answers answers = new Answers();
        try {
            decide(newcomer, answers);
        } finally {
            answers.deliver();
        }
    }

    /**
     * Makes passes as long as others signal, but not for ever, unless another thread is inside. What a clock or timer throws is rethrown
     * after the last pass, so that signals arriving meanwhile are still served.
     *
     * <p>The frame that has entered also leaves, whatever happens: if the stack overflows, it may overflow in the handlers of deeper
     * frames, too, and a drain that is never left serves nobody any more. It leaves by writing fields, as any call may overflow.
     */
    private void decide(@Nullable Waiter newcomer, Answers answers) {
        if (!serial.enter()) {
            return;
        }
        Throwable failure = null;
        boolean hasLeft = false;
        try {
            if (!source.isSteady()) {
                answers.beginToDecide();
            }
            Waiter first = newcomer;
            for (int passes = 0; !hasLeft && passes < MOST_PASSES; passes++) {
                Throwable thrown = tryPass(first, answers);
                failure = thrown == null ? failure : thrown;
                first = null;
                hasLeft = serial.leave();
            }
            if (!hasLeft) {
                serial.leaveAnyway();
                hasLeft = true;
                spare.soon(answers);
            }
        } finally {
            if (!hasLeft) {
                lookAgain = true;
                serial.state = SerialDrain.IDLE;
                spare.later();
            }
        }
        Caught.rethrow(failure);
        source.left(this);
    }

    /** Makes a pass, and has another made if it fails. Returns what it has thrown, or null. */
    private @Nullable Throwable tryPass(@Nullable Waiter newcomer, Answers answers) {
        try {
            pass(timeOfPass(newcomer), answers);
            spare.passed();
            return null;
        } catch (Throwable thrown) {
            lookAgain();
            spare.later();
            return thrown;
        }
    }

    /** Returns the time at which a new request came, unless the source is not steady: a store's bookings need the exact time. */
    private long timeOfPass(@Nullable Waiter newcomer) {
        return newcomer != null && source.isSteady() ? newcomer.sinceNanos : time.nanoTime();
    }

    private void pass(long now, Answers answers) {
        boolean mustServe = mustServe(now);
        unlinkDepartures();
        if (source.terms().isClosed()) {
            refusals.all(RefusalReason.CLOSED, null, now, answers);
            source.cancelReservations(true, true);
            alarm.clear();
            return;
        }
        if (limitChanged) {
            limitChanged = false;
            refusals.tooLarge(now, answers);
        }
        long due = mustServe || isAlarmOutdated() ? serve(now, answers) : alarm.nanosUntilDue(now);
        admitArrivals(now, answers);
        setAlarm(isAlarmOutdated() ? serve(now, answers) : due, now, answers);
        boolean isPaused = pause.isOn(now);
        verdicts.cancelReservations(isPaused || queue.isEmpty(), isPaused || room.firstProbe() == null);
    }

    /** Returns whether the first waiters may be granted now or may need another alarm. Clears the note that says so. */
    private boolean mustServe(long now) {
        boolean isTold = lookAgain;
        if (isTold) {
            lookAgain = false;
        }
        return isTold || !source.isSteady() || alarm.nanosUntilDue(now) <= 0 || pause.isOn(now);
    }

    private boolean isAlarmOutdated() {
        return queue.head() != alarmHead
                || room.firstProbe() != alarmProbe
                || room.firstToRunOutOfTime() != alarmDeadline;
    }

    /** Grants and refuses all requests that are due. Returns how long the next one has to wait. */
    private long serve(long now, Answers answers) {
        long due;
        do {
            due = Math.min(grantHeads(now, answers), grantProbes(now, answers));
        } while (refusals.overdue(now, answers)); // a request behind one that expired may now be first, and be granted
        alarmHead = queue.head();
        alarmProbe = room.firstProbe();
        alarmDeadline = room.firstToRunOutOfTime();
        long left = alarmDeadline == null ? PermitEngine.UNBOUNDED : alarmDeadline.nanosLeft(now);
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

    /** Unlinks departures again: a caller that cancels and asks anew during this pass is not blocked by its old request. */
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

    /** Grants from the head on, as long as the policy agrees. Returns how long the first request that must wait has to. */
    private long grantHeads(long now, Answers answers) {
        for (Waiter first = queue.head(); first != null; first = queue.head()) {
            boolean isTooLarge = verdicts.refuseIfTooLarge(first, now, answers);
            long wait = isTooLarge ? 0 : verdicts.tryGrant(first, now, answers);
            if (wait > 0 && keepsWaiting(first, wait, now, answers)) {
                return wait;
            }
        }
        return PermitEngine.UNBOUNDED;
    }

    /**
     * Returns whether the first request may wait that long, or refuses it; and refuses those behind it that may not. On any failure it is
     * refused: each pass would fail like this one, and serve nobody.
     */
    private boolean keepsWaiting(Waiter first, long wait, long now, Answers answers) {
        try {
            boolean isTooLong = verdicts.isTooLong(first, wait, now);
            if (isTooLong) {
                verdicts.refuseForItsWait(first, wait, now, answers);
            } else {
                refusals.storeOnlyBehind(first, now, answers);
            }
            admission.judgeBehind(first, now, answers);
            return !isTooLong;
        } catch (Throwable broken) {
            verdicts.refuse(first, RefusalReason.BACKEND_UNAVAILABLE, broken, now, answers);
            return false;
        }
    }

    /** Grants all probes once permits are available. Returns how long they have to wait otherwise. */
    private long grantProbes(long now, Answers answers) {
        for (Waiter probe = room.firstProbe(); probe != null; probe = room.firstProbe()) {
            long wait = verdicts.tryGrant(probe, now, answers);
            if (wait > 0) {
                return wait;
            }
        }
        return PermitEngine.UNBOUNDED;
    }

    private void setAlarm(long due, long now, Answers answers) {
        if (due == PermitEngine.UNBOUNDED) {
            alarm.clear();
            return;
        }
        try {
            if (!alarm.setFor(due, now)) {
                signal();
            }
        } catch (Throwable noMoreTasks) {
            // Without a timer the waiting requests would never be served.
            refusals.all(RefusalReason.BACKEND_UNAVAILABLE, noMoreTasks, now, answers);
        }
    }
}
