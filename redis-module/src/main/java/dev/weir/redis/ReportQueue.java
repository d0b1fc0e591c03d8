package dev.weir.redis;

import dev.weir.time.TimeSource;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a node that have something to report to a server when that is back, and those whose requests wait for it, which have
 * three of four turns. There may be one for each of very many keys. So they share an alarm here; while the server is away one at a
 * time probes it, when the pause is over; and when it is back, a few at a time ask. If all asked at once, those behind them, and the
 * requests of others, would not be answered within their deadline, which looks like the next outage.
 */
final class ReportQueue {

    /*
     * A turn is begun by the thread that takes the place it needs, and the place is given back when its question has been answered or has
     * failed, on whichever thread; only one thread at a time looks who is next. A turn that ends before it returns has the same thread
     * look again, so the stack does not grow with the queue.
     *
     * What was admitted alone counts for a while only, and an outage may outlast that for any number of keys. So each limit that enters
     * looks at two that came before, and drops those that no longer have to report: there are about twice as many here as have to.
     *
     * The queue rests for a while if a report cannot be sent, as the client has as many questions as it may: otherwise all that wait
     * would try, for nothing. It also rests for a moment after many turns: one thread, which brings answers, may have begun all of them, as
     * it looks again for every place that is given back, and it has more answers to bring.
     */

    /** How many have a turn at once. A hundred nodes are answered within the usual deadline: a report is two questions of 20 us each. */
    private static final int MOST = 8;

    /** Of so many turns one is of a limit that only reports, if there is any: those for which requests wait may never end. */
    private static final int TURNS_PER_REPORT = 4;

    private static final int LOOKED_AT = 2;

    /** After so many turns the next ones begin on a thread of the time source. */
    static final int MANY_TURNS = 256;

    private final Circuit circuit;
    private final Queue<Turn> waitedFor = new ConcurrentLinkedQueue<>();
    private final Queue<Turn> reporting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger looks = new AtomicInteger();

    /** Set for the end of the pause. */
    private final Chore<ReportQueue> alarm = new Chore<>(this, ReportQueue::goOn);

    /** Pending while no turns begin for a moment. */
    private final Chore<ReportQueue> rest = new Chore<>(this, ReportQueue::goOn);

    /** How many turns have begun, or were put off; may overflow. Of the thread that begins them. */
    private int turns;

    ReportQueue(Circuit circuit) {
        this.circuit = circuit;
    }

    /** Has a limit report when it is its turn: now, perhaps. It then says when that has ended. */
    void enter(Turn turn) {
        dropSome();
        reporting.add(turn);
        goOn();
    }

    /** Has the waiting requests of a limit look again when it is its turn, as {@link #enter}. */
    void enterFirst(Turn turn) {
        waitedFor.add(turn);
        goOn();
    }

    /** Begins no turns for that time by the clock of a limit, unless it rests already. Returns false if it cannot. */
    boolean rest(Turn turn, long nanos) {
        return rest.in(nanos, turn.time());
    }

    /** Ends a turn. */
    void endTurn() {
        underWay.decrementAndGet();
        goOn();
    }

    /** Ends a turn, as {@link #goOnAfterFailure}. */
    void endTurnAfterFailure(TimeSource time) {
        underWay.decrementAndGet();
        goOnAfterFailure(time);
    }

    /**
     * Begins turns on another thread: the client may tell a failure from inside its own writing, where nothing else must
     * be written.
     */
    void goOnAfterFailure(TimeSource time) {
        if (first() != null) {
            WaiterNotifier.runElsewhere(time, this::goOn);
        }
    }

    private void dropSome() {
        for (int i = 0; i < LOOKED_AT; i++) {
            Turn early = reporting.poll();
            if (early == null) {
                return;
            }
            if (early.staysToReport()) {
                reporting.add(early);
            }
        }
    }

    /** Begins turns, if the server may be asked: to be called whenever that, or who waits, has changed. Does not block. */
    void goOn() {
        if (first() == null || looks.getAndIncrement() > 0) {
            return; // the thread inside looks again
        }
        try {
            int seen = 1;
            do {
                beginTurns();
                seen = looks.addAndGet(-seen);
            } while (seen > 0);
        } catch (Throwable broken) { // as the clock may be: nobody is inside any more
            looks.set(0);
            throw broken;
        }
    }

    private @Nullable Turn first() {
        Turn waited = waitedFor.peek();
        return waited == null ? reporting.peek() : waited;
    }

    private void beginTurns() {
        for (Turn first = first(); first != null && underWay.get() < MOST && mayAsk(first); first = first()) {
            if (++turns % MANY_TURNS == 0 && rest(first, 0)) {
                return;
            }
            beginTurn();
        }
    }

    private void beginTurn() {
        underWay.incrementAndGet();
        boolean isForReport = turns % TURNS_PER_REPORT == 0 || waitedFor.peek() == null;
        Turn report = isForReport ? reporting.poll() : null;
        Turn waited = report == null ? waitedFor.poll() : null;
        if (report != null) {
            report.beginToReport(this);
        } else if (waited != null) {
            waited.beginToComeBack(this);
        } else {
            underWay.decrementAndGet(); // another thread looks at it just now, and goes on when it has put it back
        }
    }

    /** If not, this goes on when the rest or the pause is over, or another's probe has ended. */
    private boolean mayAsk(Turn first) {
        if (rest.isPending()) {
            return false;
        }
        long pause = first.nanosUntilProbe(circuit);
        if (pause > 0 && pause < Circuit.PROBING) {
            alarm.in(pause, first.time());
        }
        return pause <= 0;
    }
}
