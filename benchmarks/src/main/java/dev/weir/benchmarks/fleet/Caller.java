package dev.weir.benchmarks.fleet;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who asks again as soon as there is an answer, on the thread of the answer. Where answers come at once, others have
 * their turn once in a while. On one thread at a time.
 */
final class Caller {

    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int DIGITS = 2;

    /** How often one may ask where answers come at once, before others have their turn. */
    private static final int TURNS = 64;

    private final Crowd crowd;
    private final Gate[] gates;
    private final Histogram nanos = new Histogram(LONGEST_NANOS, DIGITS);
    private final AtomicBoolean hasEnded = new AtomicBoolean();
    private int next;
    private long began;

    /** Somebody who begins with one of the gates; the others follow in turn. */
    Caller(Crowd crowd, Gate[] gates, int first) {
        this.crowd = crowd;
        this.gates = gates;
        this.next = first;
    }

    /** How long each answer took since it began. */
    Histogram nanos() {
        return nanos;
    }

    void begin() {
        nanos.reset();
        ask();
    }

    private void ask() {
        for (int turn = 0; turn < TURNS; turn++) {
            began = System.nanoTime();
            if (crowd.isOver(began)) {
                crowd.left();
                return;
            }
            if (!isAnsweredAtOnce()) {
                return; // the answer goes on
            }
        }
        crowd.execute(this::ask);
    }

    /** A question ends twice: by its answer, and by the return of the method that asks. Whichever is later goes on. */
    private boolean isAnsweredAtOnce() {
        Gate gate = gates[next];
        next = (next + 1) % gates.length;
        hasEnded.set(false);
        try {
            gate.ask(this::told);
        } catch (RuntimeException failed) {
            crowd.failed(failed);
            hasEnded.set(true); // by nobody else
        }
        return hasEnded.getAndSet(true);
    }

    private void told(@Nullable Boolean granted, @Nullable Throwable failure) {
        nanos.recordValue(Math.min(LONGEST_NANOS, System.nanoTime() - began));
        if (failure != null) {
            crowd.failed(failure);
        } else if (!Boolean.TRUE.equals(granted)) {
            crowd.failed(new IllegalStateException("refused"));
        }
        if (hasEnded.getAndSet(true)) {
            ask();
        }
    }
}
