package dev.weir.benchmarks.fleet;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.HdrHistogram.Histogram;

/**
 * Somebody who asks again as soon as there is an answer: on the thread of the answer, or, where that came at once, on a thread of
 * the crowd, so that others have their turn. On one thread at a time.
 */
final class Caller {

    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int DIGITS = 2;

    private final Crowd crowd;
    private final Gate[] gates;
    private final Histogram nanos = new Histogram(LONGEST_NANOS, DIGITS);
    private int next;

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
        if (crowd.isOver()) {
            crowd.left();
            return;
        }
        Gate gate = gates[next];
        next = (next + 1) % gates.length;
        try {
            ask(gate);
        } catch (RuntimeException failed) {
            crowd.failed(failed);
            crowd.left();
        }
    }

    private void ask(Gate gate) {
        // A question ends twice: by its answer, and by the return of the method that asks. Whichever is later goes on.
        AtomicBoolean hasEnded = new AtomicBoolean();
        long began = System.nanoTime();
        var unused = gate.ask().whenComplete((granted, failure) -> {
            nanos.recordValue(Math.min(LONGEST_NANOS, System.nanoTime() - began));
            if (failure != null) {
                crowd.failed(failure);
            } else if (!granted) {
                crowd.failed(new IllegalStateException("refused"));
            }
            if (hasEnded.getAndSet(true)) {
                ask();
            }
        });
        if (hasEnded.getAndSet(true)) {
            crowd.execute(this::ask);
        }
    }
}
