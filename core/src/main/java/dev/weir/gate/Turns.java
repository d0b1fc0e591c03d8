package dev.weir.gate;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a stream that has waited from taking all the permits that came with its own, before other streams that waited as
 * long have had a chance to run.
 *
 * <p>When a limit gives way to many at once, each waiting stream is granted one permit, and what is left goes to whoever asks
 * next. So after a wait a stream takes one element and goes to the end of the executor's line, again and again, until permits
 * run out and it waits anew; the turns get longer as it goes, so that a limit of many permits is not handed out in as many
 * tasks. Who finds none left after it has taken some in its turn goes to the end of the line once more before it waits: those who
 * had none in that round then come before it in the limiter's queue, and so in the line when permits are back. Streams that take
 * turns on one executor thus get equal shares, but for the length of a turn. Who has nothing to go on with leaves the rest to
 * the others; what comes to it later is as before a wait. Without an executor, a stream shares with nobody and there are no
 * turns.
 *
 * <p>Touched only inside the drain, except for {@link #begin}.
 */
final class Turns {

    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final int TURNS_BEFORE_DOUBLING = 16;

    /** Of a turn, as the power of two of elements. */
    private static final int LONGEST = 20;

    private final @Nullable Executor line;
    private final Runnable myTurn;

    /** How many turns there have been since the last wait. */
    private int turns;

    /** How many elements may still go in this turn. */
    private int left = UNLIMITED;

    /** Whether this turn has brought anything. */
    private boolean brought;

    /** Whether this stream stands in line. */
    private volatile boolean inLine;

    /** Makes turns in a line; {@code myTurn} is to call {@link #begin}. */
    Turns(@Nullable Executor line, Runnable myTurn) {
        this.line = line;
        this.myTurn = myTurn;
    }

    /** Any thread: the executor has got to this stream. */
    void begin() {
        inLine = false;
    }

    /** A permit was waited for. */
    void waited() {
        if (line != null) {
            turns = 0;
            left = 0;
            brought = false;
        }
    }

    /** A permit was taken that was there at once. */
    void took() {
        if (left != UNLIMITED) {
            left--;
            brought = true;
        }
    }

    /**
     * None could be taken without a request. Answers whether to make one for the lane now, which may have to wait; otherwise it is
     * no more this stream's turn.
     */
    boolean mayAsk(Lane<?> lane) {
        if (brought && mustWait(lane)) {
            left = 0;
            return false;
        }
        return true;
    }

    /** A request has to wait. */
    void waits() {
        left = UNLIMITED;
    }

    /** There is nothing to go on with, and permits may be left: what comes later need not stand in line for them. */
    void rest() {
        left = UNLIMITED;
        brought = false;
    }

    /** Whether any number of elements may go in this turn. */
    boolean areUnlimited() {
        return left == UNLIMITED;
    }

    /** Answers whether the next element of a lane may go, or wait for its permit; otherwise the stream now stands in line. */
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
        if (!brought && mustWait(lane)) {
            return true;
        }
        standInLine(line);
        return !inLine;
    }

    /** Whether there is nothing to share. So it is said of a limiter that fails: who asks it for the permit will hear of it. */
    private static boolean mustWait(Lane<?> lane) {
        try {
            return lane.limiter.availablePermits() < lane.cost();
        } catch (RuntimeException | Error failed) {
            return true;
        }
    }

    private void standInLine(Executor line) {
        left = 1 << Math.min(turns++ / TURNS_BEFORE_DOUBLING, LONGEST);
        brought = false;
        inLine = true;
        try {
            line.execute(myTurn);
        } catch (Throwable rejection) {
            inLine = false; // who waits next will notice
        }
    }
}
