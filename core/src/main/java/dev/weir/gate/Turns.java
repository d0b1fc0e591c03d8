package dev.weir.gate;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Fairness among streams that share a limiter: keeps a stream that has waited from taking all available permits before other
 * streams that waited as long have had a chance to run.
 *
 * <p>When many permits become available at once, each waiting stream is granted one, and the rest goes to whichever stream asks
 * next. So after a wait a stream takes one element and goes to the end of the executor's queue, again and again, until permits
 * run out and it waits again. The turns get longer as it goes, so that a limit of many permits is not handed out in as many
 * tasks. A stream that finds no permits left after it has taken some in its turn goes to the end of the executor's queue once
 * more before it waits: the streams that had none in that round then come before it in the limiter's queue, and so in the
 * executor's queue when permits return. Streams that take turns on one executor thus get equal shares, up to the length of a
 * turn. A stream that has nothing to deliver leaves the rest to the others; what arrives later is treated as before a wait.
 * A stream that shares with nobody has no executor here, and there are no turns.
 *
 * <p>Used only inside the drain, except for {@link #leaveLine}.
 */
final class Turns {

    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final int TURNS_BEFORE_DOUBLING = 16;

    /** The longest turn, as the exponent of a power of two of elements. */
    private static final int LONGEST = 20;

    private final @Nullable Executor line;
    private final Runnable myTurn;

    /** The number of turns since the last wait. */
    private int turns;

    /** The length of the latest turn. */
    private int turn;

    /** How many elements may still go in this turn. */
    private int left = UNLIMITED;

    /** Whether a permit was taken in this turn. */
    private boolean tookInTurn;

    /** Whether this stream's turn is in the executor's queue: once at most, or it would get a multiple of its share. */
    private volatile boolean inLine;

    /** Creates turns on an executor, {@code line}; {@code myTurn} is to call {@link #leaveLine}. */
    Turns(@Nullable Executor line, Runnable myTurn) {
        this.line = line;
        this.myTurn = myTurn;
    }

    /** The executor runs the task with which this stream stood in line. Any thread. */
    void leaveLine() {
        inLine = false;
    }

    /** A permit was granted after a wait. A turn that this stream has, or stands in line for, with another lane, it keeps. */
    void waited() {
        if (line != null && left == UNLIMITED) {
            turns = 0;
            left = inLine ? turn : 0;
            tookInTurn = false;
        }
    }

    /** A permit that was available at once was taken. */
    void took() {
        if (left != UNLIMITED) {
            left--;
            tookInTurn = true;
        }
    }

    /**
     * No permit could be taken without a request. Returns whether to make a request, which may have to wait, for the lane now;
     * otherwise this stream's turn is over.
     */
    boolean mayRequest(Lane<?> lane) {
        if (tookInTurn && lane.mustWait()) {
            left = 0;
            return false;
        }
        return true;
    }

    /** A request has to wait. */
    void beginToWait() {
        left = UNLIMITED;
    }

    /** There is nothing to deliver, and permits may be left: what comes later need not queue for them. */
    void rest() {
        left = UNLIMITED;
        tookInTurn = false;
    }

    /** Whether any number of elements may go in this turn. */
    boolean areUnlimited() {
        return left == UNLIMITED;
    }

    /** Returns whether the next element of a lane may go, or wait for its permit; if not, the stream is in the executor's queue. */
    boolean takeTurn(Lane<?> lane) {
        if (left == UNLIMITED) {
            return true;
        }
        if (inLine) {
            return false;
        }
        if (left > 0 || line == null) {
            return true;
        }
        if (!tookInTurn && lane.mustWait()) {
            return true;
        }
        standInLine(line);
        return !inLine;
    }

    private void standInLine(Executor line) {
        turn = 1 << Math.min(turns++ / TURNS_BEFORE_DOUBLING, LONGEST);
        left = turn;
        tookInTurn = false;
        inLine = true;
        try {
            line.execute(myTurn);
        } catch (Throwable rejection) {
            inLine = false; // the next wait will report it
        }
    }
}
