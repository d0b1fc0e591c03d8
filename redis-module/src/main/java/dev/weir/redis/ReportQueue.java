package dev.weir.redis;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The limits of a node that have something to report to a server when that is back. There may be one for each of very many keys. So they
 * wait here, without a timer each; while the server is away one at a time probes it, when the pause is over; and when it is back, a few
 * at a time report. If all asked at once, those behind them, and the requests of others, would not be answered within their deadline, which
 * looks like the next outage.
 */
final class ReportQueue {

    /*
     * A turn is begun by the thread that takes the place it needs, and the place is given back when its question has been answered or has
     * failed, on whichever thread; only one thread at a time looks who is next. A report that ends before it returns has the same thread
     * look again, so the stack does not grow with the queue.
     *
     * What was admitted alone counts for a while only, and an outage may outlast that for any number of keys. So each limit that enters
     * looks at two that came before, and drops those that no longer have to report: there are about twice as many here as have to.
     */

    /** How many report at once. A hundred nodes are answered within the usual deadline: a report is two questions of some 20 us each. */
    private static final int MOST = 8;

    private static final int LOOKED_AT = 2;

    private final Circuit circuit;
    private final Queue<Chores> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger looks = new AtomicInteger();
    private final AtomicBoolean isAlarmSet = new AtomicBoolean();

    ReportQueue(Circuit circuit) {
        this.circuit = circuit;
    }

    /** Has a limit report when it is its turn: now, perhaps. It then says when that has ended. */
    void enter(Chores limit) {
        waiting.add(limit);
        dropSome();
        goOn();
    }

    /** Ends a turn. */
    void leave() {
        underWay.decrementAndGet();
        goOn();
    }

    private void dropSome() {
        for (int i = 0; i < LOOKED_AT; i++) {
            Chores early = waiting.poll();
            if (early == null) {
                return;
            }
            if (early.staysToReport()) {
                waiting.add(early);
            }
        }
    }

    /** Begins turns, if the server may be asked: to be called whenever that, or who waits, has changed. Does not block. */
    void goOn() {
        if (waiting.isEmpty() || looks.getAndIncrement() > 0) {
            return; // the thread inside looks again
        }
        int seen = 1;
        do {
            beginTurns();
            seen = looks.addAndGet(-seen);
        } while (seen > 0);
    }

    private void beginTurns() {
        while (underWay.get() < MOST && mayAsk()) {
            Chores next = waiting.poll();
            if (next != null) {
                underWay.incrementAndGet();
                next.reportInTurn(this);
            }
        }
    }

    /** Returns whether somebody waits and may ask. If not, this goes on when the pause is over, or another's probe has ended. */
    private boolean mayAsk() {
        Chores first = waiting.peek();
        if (first == null) {
            return false;
        }
        long pause = circuit.nanosUntilProbe(first.nanoTime());
        if (pause <= 0) {
            return true;
        }
        if (pause < Circuit.PROBING && isAlarmSet.compareAndSet(false, true)) {
            first.later(this::alarm, pause, isAlarmSet);
        }
        return false;
    }

    private void alarm() {
        isAlarmSet.set(false);
        goOn();
    }
}
