package dev.weir;

import dev.weir.limit.PermitPolicy;
import dev.weir.time.TimeSource;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What happens to those who wait. One thread at a time makes a pass over the queue ({@link SerialDrain}); it only decides, and
 * tells the decisions after it has left. Calls the policy and the time source, never user code.
 */
final class PermitDrain extends Retirable {

    /** The answer of a step that nobody has to be woken for. */
    private static final long NOTHING_DUE = PermitPolicy.AWAIT_SIGNAL;

    final Pause pause = new Pause();

    private final PermitSource source;
    private final TimeSource time;

    /** Permits that requests under way or waiting ask for. Positive: somebody would be overtaken. */
    private final AtomicLong waitingPermits = new AtomicLong();

    /** Requests that have not been settled. */
    private final AtomicInteger expected = new AtomicInteger();

    private final SerialDrain serial = new SerialDrain();
    private final WaiterStack arrivals = new WaiterStack();
    private final WaiterStack departures = new WaiterStack();

    /** A note to the next pass: requests that fitted the limit when they came may fit no more. */
    private volatile boolean limitChanged;

    // Owned by the pass under way
    private final WaitingRoom room;
    private final WaitQueue queue;
    private final HeadAlarm alarm;

    PermitDrain(PermitSource source) {
        Terms terms = source.terms();
        this.source = source;
        this.time = terms.time;
        this.queue = new WaitQueue(terms.isNewestFirst, terms.queueLimit);
        this.room = new WaitingRoom(queue);
        this.alarm = new HeadAlarm(time, this::signal);
    }

    /** Makes a request that is from now on counted as waiting, wherever it is. */
    Waiter expect(int permits, long maxWaitNanos, long nowNanos, PermitListener listener) {
        waitingPermits.addAndGet(permits);
        expected.incrementAndGet();
        return new Waiter(this, permits, maxWaitNanos, nowNanos, listener);
    }

    void noLongerExpect(Waiter waiter) {
        waitingPermits.addAndGet(-waiter.permits);
        expected.decrementAndGet();
    }

    long waitingPermits() {
        return waitingPermits.get();
    }

    boolean isExpecting() {
        return expected.get() > 0;
    }

    @Override
    boolean isUnused() {
        return !isExpecting() && pause.nanosLeft(time.nanoTime()) == 0;
    }

    void enter(Waiter waiter) {
        arrivals.push(waiter);
        signal();
    }

    void cancelled(Waiter waiter, boolean wasWaiting) {
        noLongerExpect(waiter);
        if (wasWaiting) {
            departures.push(waiter);
            signal();
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

    /** Has whatever can now be decided decided: by this thread, or by the one that is at it. Tells what this thread decided. */
    void signal() {
        if (!serial.enter()) {
            return;
        }
        Answers answers = new Answers();
        answers.beginToDecide();
        boolean left = false;
        try {
            do {
                pass(answers);
            } while (!serial.leave());
            left = true;
            source.left(this);
        } finally {
            if (!left) {
                // A policy or clock that throws is reported to whoever signalled, and stops nobody else.
                serial.abandon();
            }
            answers.tell();
        }
    }

    private void pass(Answers answers) {
        long now = time.nanoTime();
        unlinkDepartures();
        if (source.terms().isClosed()) {
            refuseAll(RefusalReason.CLOSED, null, now, answers);
            source.standBack();
            alarm.clear(now);
            return;
        }
        if (limitChanged) {
            limitChanged = false;
            refuseTooLarge(now, answers);
        }
        serve(now, answers);
        admitArrivals(now, answers);
        setAlarm(serve(now, answers), now, answers);
        if (room.isEmpty() || pause.nanosLeft(now) > 0) {
            source.standBack();
        }
    }

    /** Grants and refuses whoever it is time for. Returns how long the next one has to wait. */
    private long serve(long now, Answers answers) {
        long due;
        do {
            due = Math.min(grantHeads(now, answers), grantProbes(now, answers));
        } while (refuseOverdue(now, answers)); // who stood behind one whose time was up may now be first, and go
        Waiter next = room.firstToRunOutOfTime();
        return next == null ? due : Math.min(due, next.nanosLeft(now));
    }

    private void unlinkDepartures() {
        for (Waiter waiter = departures.takeAll(); waiter != null; ) {
            Waiter next = waiter.onTheWay;
            waiter.onTheWay = null;
            room.remove(waiter);
            waiter = next;
        }
    }

    private void admitArrivals(long now, Answers answers) {
        for (Waiter waiter = arrivals.takeAll(); waiter != null; ) {
            Waiter next = waiter.onTheWay;
            waiter.onTheWay = null;
            admit(waiter, now, answers);
            waiter = next;
        }
    }

    private void admit(Waiter waiter, long now, Answers answers) {
        if (waiter.permits > 0 && queue.permitsAheadOfNewcomer() == 0 && tryGrant(waiter, now, answers) == 0) {
            return;
        }
        if (!fitsItsMaxWait(waiter, now)) {
            refuse(waiter, RefusalReason.MAX_WAIT, now, answers);
        } else if (!makeRoomFor(waiter, now, answers)) {
            refuse(waiter, RefusalReason.QUEUE_FULL, now, answers);
        } else if (waiter.beginToWait()) {
            link(waiter, answers);
        }
    }

    private boolean fitsItsMaxWait(Waiter waiter, long now) {
        if (!waiter.hasMaxWait()) {
            return true;
        }
        long ahead = waiter.permits == 0 ? 0 : queue.permitsAheadOfNewcomer();
        long wait = source.nanosUntil(ahead, Math.max(1, waiter.permits), now);
        return Math.max(pause.nanosLeft(now), wait == PermitPolicy.AWAIT_SIGNAL ? 0 : wait) <= waiter.nanosLeft(now);
    }

    private boolean makeRoomFor(Waiter waiter, long now, Answers answers) {
        if (queue.hasRoomFor(waiter) || waiter.permits == 0) {
            return true;
        }
        if (waiter.isSettled() || !queue.mayEvictFor(waiter)) {
            return false;
        }
        for (Waiter oldest = queue.oldest(); oldest != null && !queue.hasRoomFor(waiter); oldest = queue.oldest()) {
            refuse(oldest, RefusalReason.EVICTED, now, answers);
        }
        return true;
    }

    /** Grants from the head on, as long as the policy says yes. Returns how long the first that must wait has to. */
    private long grantHeads(long now, Answers answers) {
        for (Waiter head = queue.head(); head != null; head = queue.head()) {
            if (head.permits > source.capacity()) {
                refuse(head, RefusalReason.EXHAUSTED, now, answers);
                continue;
            }
            long wait = tryGrant(head, now, answers);
            if (wait == PermitPolicy.AWAIT_SIGNAL) {
                return NOTHING_DUE;
            }
            if (wait > head.nanosLeft(now)) {
                refuse(head, RefusalReason.MAX_WAIT, now, answers);
            } else if (wait > 0) {
                return wait;
            }
        }
        return NOTHING_DUE;
    }

    /** Grants all who only wait for anything to be available, once something is. */
    private long grantProbes(long now, Answers answers) {
        for (Waiter probe = room.firstProbe(); probe != null; probe = room.firstProbe()) {
            long wait = tryGrant(probe, now, answers);
            if (wait > 0) {
                return wait;
            }
        }
        return NOTHING_DUE;
    }

    /** Returns zero if the waiter has been granted, or is no longer to be; otherwise how long it has to wait. */
    private long tryGrant(Waiter waiter, long now, Answers answers) {
        long pauseLeft = pause.nanosLeft(now);
        if (pauseLeft > 0 && !waiter.isSettled()) {
            return pauseLeft;
        }
        try {
            long wait = waiter.isSettled() ? PermitPolicy.TAKEN : takeFor(waiter, now, answers);
            Throwable trouble = wait > 0 ? source.trouble(now) : null;
            if (trouble != null) {
                refuse(waiter, RefusalReason.BACKEND_UNAVAILABLE, trouble, now, answers);
            } else if (wait > 0) {
                return wait;
            }
            room.remove(waiter);
        } catch (RuntimeException broken) {
            refuse(waiter, RefusalReason.BACKEND_UNAVAILABLE, broken, now, answers);
        }
        return 0;
    }

    /** Returns how long the waiter has to wait; if not, it has its answer. */
    private long takeFor(Waiter waiter, long now, Answers answers) {
        int permits = waiter.permits;
        long wait = source.tryTake(permits, waitingPermits.get(), now);
        if (wait == PermitSource.REFUSED) {
            answerRefused(waiter, () -> source.refusal(permits), answers);
        } else if (wait == PermitPolicy.TAKEN && waiter.settle(Waiter.GRANTED)) {
            noLongerExpect(waiter);
            Lease lease = source.countGranted(permits, now);
            answers.add(
                    () -> source.terms().tellAcquired(permits, waiter.waitedNanos(now), lease.source()), waiter, lease);
        } else if (wait == PermitPolicy.TAKEN) {
            source.untake(permits, now);
        }
        return wait;
    }

    /** Refuses those whose time is up. Tells whether there were any. */
    private boolean refuseOverdue(long now, Answers answers) {
        boolean any = false;
        for (Waiter first = room.firstToRunOutOfTime();
                first != null && first.nanosLeft(now) <= 0;
                first = room.firstToRunOutOfTime()) {
            refuse(first, RefusalReason.MAX_WAIT, now, answers);
            any = true;
        }
        return any;
    }

    /** Refuses those who could never be granted under the present limit. */
    private void refuseTooLarge(long now, Answers answers) {
        for (Waiter waiter = queue.oldest(); waiter != null; ) {
            Waiter newer = waiter.newer;
            if (waiter.permits > source.capacity()) {
                refuse(waiter, RefusalReason.EXHAUSTED, now, answers);
            }
            waiter = newer;
        }
    }

    private void refuse(Waiter waiter, RefusalReason reason, long now, Answers answers) {
        refuse(waiter, reason, null, now, answers);
    }

    private void refuse(Waiter waiter, RefusalReason reason, @Nullable Throwable cause, long now, Answers answers) {
        answerRefused(
                waiter,
                () -> source.countRefused(waiter.permits, reason, cause, nanosUntilRetry(waiter, reason, now)),
                answers);
        room.remove(waiter);
    }

    private void answerRefused(Waiter waiter, Supplier<Lease> refusal, Answers answers) {
        if (waiter.settle(Waiter.REFUSED)) {
            noLongerExpect(waiter);
            Lease lease = refusal.get();
            answers.add(() -> source.terms().tellRefused(lease), waiter, lease);
        }
    }

    private long nanosUntilRetry(Waiter waiter, RefusalReason reason, long now) {
        if (reason == RefusalReason.CLOSED || waiter.permits > source.capacity()) {
            return PermitEngine.UNBOUNDED;
        }
        try {
            return source.nanosUntilRetry(waiter.permits, now);
        } catch (RuntimeException brokenPolicy) {
            return PermitEngine.UNBOUNDED;
        }
    }

    private void refuseAll(RefusalReason reason, @Nullable Throwable cause, long now, Answers answers) {
        for (Waiter waiter = room.anyone(); waiter != null; waiter = room.anyone()) {
            refuse(waiter, reason, cause, now, answers);
        }
        for (Waiter waiter = arrivals.takeAll(); waiter != null; ) {
            Waiter next = waiter.onTheWay;
            waiter.onTheWay = null;
            refuse(waiter, reason, cause, now, answers);
            waiter = next;
        }
    }

    private void setAlarm(long due, long now, Answers answers) {
        if (due == NOTHING_DUE) {
            alarm.clear(now);
            return;
        }
        try {
            alarm.setFor(due, now);
        } catch (RuntimeException | Error noMoreTasks) {
            // Without a timer nobody would ever come for those who wait.
            refuseAll(RefusalReason.BACKEND_UNAVAILABLE, noMoreTasks, now, answers);
        }
    }

    private void link(Waiter waiter, Answers answers) {
        room.add(waiter);
        if (source.terms().isObserved()) {
            answers.add(() -> source.terms().tellQueued(waiter.permits));
        }
    }
}
