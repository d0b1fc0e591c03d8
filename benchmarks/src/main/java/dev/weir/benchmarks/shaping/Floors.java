package dev.weir.benchmarks.shaping;

import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/**
 * One thread that does nothing else, and lets no window hold too many, counted from when elements really went: what the
 * machine leaves of a limit.
 */
final class Floors {

    private Floors() {}

    /** Never leaves its processor of its own accord. Where it falls short, nobody gets further. */
    static Shaper looking(Rate rate) {
        return resting(rate, nanosLeft -> Thread.onSpinWait());
    }

    /** As late as the machine wakes it. */
    static Shaper sleeping(Rate rate) {
        return resting(rate, LockSupport::parkNanos);
    }

    private static Shaper resting(Rate rate, LongConsumer rest) {
        return passed -> {
            long distance = rate.distance().toNanos();
            long[] gone = new long[rate.step()];
            Arrays.fill(gone, System.nanoTime() - distance);
            int next = 0;
            boolean goesOn = true;
            while (goesOn) {
                long left = gone[next] + distance - System.nanoTime();
                if (left > 0) {
                    rest.accept(left);
                } else {
                    goesOn = passed.getAsBoolean();
                    gone[next] = System.nanoTime();
                    next = next + 1 == gone.length ? 0 : next + 1;
                }
            }
        };
    }
}
