package dev.weir.benchmarks.crowd;

import dev.weir.benchmarks.Figures;
import dev.weir.benchmarks.LiveHeap;
import java.util.Map;

/** Takes a permit of each of many keys. Arguments: contender, how many keys. */
public final class KeysRun {

    private static final int WARMUP_KEYS = 20_000;

    private KeysRun() {}

    public static void main(String[] arguments) {
        Figures.tell(measure(KeyContender.valueOf(arguments[0]), Integer.parseInt(arguments[1])));
    }

    static Map<String, Double> measure(KeyContender contender, int count) {
        take(contender.keyed(), keys(Math.min(count, WARMUP_KEYS)));
        Long[] keys = keys(count);
        long heapBefore = LiveHeap.bytes();
        Keyed keyed = contender.keyed();
        double nanos = take(keyed, keys);
        double bytes = (double) (LiveHeap.bytes() - heapBefore) / count;
        if (keyed.keys() != count) {
            throw new IllegalStateException(contender + " knows " + keyed.keys() + " of " + count + " keys");
        }
        return new Figures()
                .put("bytes", bytes)
                .put("firstNanos", nanos)
                .put("timers", keyed.mostTimers())
                .all();
    }

    private static Long[] keys(int count) {
        Long[] keys = new Long[count];
        for (int i = 0; i < count; i++) {
            keys[i] = (long) i << 20;
        }
        return keys;
    }

    /** Returns the nanoseconds that it took for each. */
    private static double take(Keyed keyed, Long[] keys) {
        long began = System.nanoTime();
        for (Long key : keys) {
            if (!keyed.tryTake(key)) {
                throw new IllegalStateException("key " + key + " was refused");
            }
        }
        return (double) (System.nanoTime() - began) / keys.length;
    }
}
