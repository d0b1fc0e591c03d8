package dev.weir.benchmarks.decision;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What a decision costs at the least. */
final class Floors {

    private Floors() {}

    /** One reading of the clock, without which nobody can refuse by time. */
    static Decision clock(Outcome outcome) {
        long never = Long.MIN_VALUE + 1;
        return outcome == Outcome.GRANTED ? () -> System.nanoTime() != never : () -> System.nanoTime() == never;
    }

    /** One reading of the clock and one compare-and-set, without which nobody can grant by time. */
    static Decision clockAndCompareAndSet(Outcome outcome) {
        if (outcome == Outcome.REFUSED) {
            return clock(outcome);
        }
        AtomicLong latest = new AtomicLong();
        return () -> {
            long now = System.nanoTime();
            long before = latest.get();
            while (!latest.compareAndSet(before, now)) {
                before = latest.get();
            }
            return true;
        };
    }

    /** The same, counted as statistics are. */
    static Decision counted(Outcome outcome) {
        Decision decision = clockAndCompareAndSet(outcome);
        LongAdder answers = new LongAdder();
        return () -> {
            boolean taken = decision.tryTake();
            answers.increment();
            return taken;
        };
    }

    /** A permit of a semaphore, taken and given back. */
    static Decision semaphore(Outcome outcome) {
        Semaphore semaphore = new Semaphore(outcome == Outcome.GRANTED ? Contender.AT_ONCE : 0);
        return () -> {
            boolean taken = semaphore.tryAcquire();
            if (taken) {
                semaphore.release();
            }
            return taken;
        };
    }
}
