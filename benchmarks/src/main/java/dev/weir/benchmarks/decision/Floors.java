package dev.weir.benchmarks.decision;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** What a decision costs at the least. */
final class Floors {

    /** Of so many permits, one of which becomes free every nanosecond. */
    private static final int RING = 100;

    /** Some hundred nanoseconds, in which the other decides some times. */
    private static final int ROUNDS = 400;

    private Floors() {}

    /** One reading of the clock, without which nobody can refuse by time. */
    static Decision clock(Outcome outcome) {
        long never = Long.MIN_VALUE + 1;
        return outcome == Outcome.GRANTED ? () -> System.nanoTime() != never : () -> System.nanoTime() == never;
    }

    /** One reading of the clock and one compare-and-set, without which nobody can grant by time. */
    static Decision clockAndCompareAndSet(Outcome outcome) {
        return clockAndCompareAndSet(outcome, () -> {});
    }

    /** The same, but a thread that loses against another sleeps for the shortest time there is, as in Resilience4j. */
    static Decision losersSleep(Outcome outcome) {
        return clockAndCompareAndSet(outcome, () -> LockSupport.parkNanos(1));
    }

    /** The same, but a thread that loses against another leaves the field to it for a while, without sleeping. */
    static Decision losersSpin(Outcome outcome) {
        AtomicInteger unchanged = new AtomicInteger();
        return clockAndCompareAndSet(outcome, () -> {
            for (int round = 0; round < ROUNDS && unchanged.getOpaque() == 0; round++) {
                // the reading is the pause: a loop without one would be compiled to nothing
            }
        });
    }

    private static Decision clockAndCompareAndSet(Outcome outcome, Runnable afterLoss) {
        if (outcome == Outcome.REFUSED) {
            return clock(outcome);
        }
        AtomicLong latest = new AtomicLong();
        return () -> {
            long now = System.nanoTime();
            long before = latest.get();
            while (!latest.compareAndSet(before, now)) {
                afterLoss.run();
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

    /**
     * What an exact window does at the least: it reads when the permit was taken that is now as many permits ago, claims the
     * place of that by compare-and-set, and writes down the time. A thread that is held up between the two would spoil it.
     */
    static Decision clockAndRing(Outcome outcome) {
        long period = outcome == Outcome.GRANTED ? RING : Long.MAX_VALUE / 2;
        AtomicLongArray times = new AtomicLongArray(RING);
        AtomicInteger oldest = new AtomicInteger();
        long start = System.nanoTime();
        for (int i = 0; i < RING; i++) {
            times.set(i, start);
        }
        return () -> {
            long now = System.nanoTime();
            while (true) {
                int place = oldest.get();
                if (now - times.get(place) < period) {
                    return false;
                }
                if (oldest.compareAndSet(place, place + 1 == RING ? 0 : place + 1)) {
                    times.setRelease(place, now);
                    return true;
                }
            }
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

    /** A permit of a semaphore, taken and given back through something that gives it back once, whoever closes it how often. */
    static Decision semaphoreOnLoan(Outcome outcome) {
        Semaphore semaphore = new Semaphore(outcome == Outcome.GRANTED ? Contender.AT_ONCE : 0);
        return () -> {
            if (!semaphore.tryAcquire()) {
                return false;
            }
            new Loan(semaphore, new AtomicBoolean()).close();
            return true;
        };
    }

    private record Loan(Semaphore semaphore, AtomicBoolean closed) implements AutoCloseable {

        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                semaphore.release();
            }
        }
    }
}
