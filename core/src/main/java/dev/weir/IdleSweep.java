package dev.weir;

import dev.weir.time.TimeSource;
import java.util.Collections;
import java.util.Iterator;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Makes room for keys, and forgets those whose state equals that of a key never seen. Has neither thread nor timer: calls for
 * other keys do the work, each by examining a few keys, in rounds over all of them. One thread at a time sweeps; another that
 * arrives meanwhile skips it. A key that fails, or its limit, is not forgotten; the caller, which asks for another key, is not told.
 */
final class IdleSweep {

    /*
     * How much is enough. Each new key examines 4 keys, so a round is over before the number of new keys reaches a quarter of all
     * there were, and the table never grows much beyond what is in use. That alone would forget the last million keys of a flood
     * only when the next flood comes. So each key that is forgotten pays for examining 4 more: while more than a quarter of the
     * keys can be forgotten, a call goes on, up to 1,024 keys; when there are fewer it soon ends, and they use little memory
     * then. A million idle keys are thus gone after a thousand calls for new keys, or thirty thousand for known ones, and a call
     * examines 1,024 keys at most.
     *
     * A map that was once large is slow to iterate when it is nearly empty, as it does not shrink. The next round is then delayed
     * by a number of calls proportional to the keys that are missing.
     */

    private static final int FOR_NEWCOMER = 4;
    private static final int FOR_KNOWN = 16;
    private static final int FOR_ROOM = 64;
    private static final int REWARD = 4;
    private static final int MOST = 1024;
    private static final int MISSING_KEYS_PER_CALL = 256;

    private final ConcurrentHashMap<Object, PermitEngine> engines;
    private final int maximumKeys;
    private final TimeSource time;

    /** The number of keys in the map, but for those about to leave it: never more than the maximum. Changed inside the map's lock of the key. */
    private final AtomicInteger keyCount = new AtomicInteger();

    private final AtomicBoolean sweeping = new AtomicBoolean();

    /** Of the keys examined, the one that can be forgotten first. A limit that starts partly full is not, and so never here. */
    private volatile @Nullable PermitEngine next;

    // Owned by the thread that sweeps
    private Iterator<PermitEngine> round = Collections.emptyIterator();
    private int mostKeys;
    private int callsToRest;

    IdleSweep(ConcurrentHashMap<Object, PermitEngine> engines, int maximumKeys, TimeSource time) {
        this.engines = engines;
        this.maximumKeys = maximumKeys;
        this.time = time;
    }

    void payForNewcomer() {
        sweep(FOR_NEWCOMER);
    }

    void tend() {
        sweep(FOR_KNOWN);
    }

    /** Returns whether there is room for one more key, after trying to forget some if there was none. */
    boolean makeRoom() {
        if (hasRoom()) {
            return true;
        }
        sweep(FOR_ROOM);
        PermitEngine first = next;
        if (!hasRoom() && first != null) {
            forget(first, time.nanoTime());
        }
        return hasRoom();
    }

    boolean hasRoom() {
        return keyCount.get() < maximumKeys;
    }

    /** Brings an engine for a key. Returns whether it is the key's now: the key was not there, and there was room. */
    boolean enter(Object key, PermitEngine made) {
        boolean[] isCounted = new boolean[1];
        try {
            return made
                    == engines.computeIfAbsent(key, absent -> {
                        isCounted[0] = takesRoom();
                        return isCounted[0] ? made : null;
                    });
        } catch (Throwable broken) {
            // After counting, the map asks the key once more where to put it, and allocates. What it has put is
            // counted until it leaves, which it does after it was retired: looked at second.
            if (isCounted[0] && !engines.containsValue(made) && !made.isRetired()) {
                keyCount.decrementAndGet();
            }
            throw broken;
        }
    }

    /** Returns whether a key is not there, nor room for it: at the same moment, as it neither comes nor leaves in the map's lock. */
    boolean isBeyondMaximum(Object key) {
        boolean[] isBeyond = new boolean[1];
        engines.computeIfAbsent(key, absent -> {
            isBeyond[0] = !hasRoom();
            return null;
        });
        return isBeyond[0];
    }

    private boolean takesRoom() {
        int taken = keyCount.get();
        while (taken < maximumKeys) {
            if (keyCount.compareAndSet(taken, taken + 1)) {
                return true;
            }
            taken = keyCount.get();
        }
        return false;
    }

    int keys() {
        return keyCount.get();
    }

    /** Returns how long until one of the keys examined can be forgotten, if it is not used until then. */
    long nanosUntilRoom(long nowNanos) {
        PermitEngine first = next;
        return first == null ? PermitEngine.UNBOUNDED : nanosUntilForgotten(first, nowNanos);
    }

    /**
     * Unbounded for a key that is never forgotten, for one that has been, for one that was idle and could not be forgotten, and
     * for one whose limit fails.
     */
    private static long nanosUntilForgotten(PermitEngine engine, long nowNanos) {
        try {
            long wait = engine.mayBeRetired() ? engine.nanosUntilIdle(nowNanos) : 0;
            return wait == 0 ? PermitEngine.UNBOUNDED : wait;
        } catch (Throwable broken) {
            return PermitEngine.UNBOUNDED;
        }
    }

    private static boolean comesBackFresh(PermitEngine engine, long nowNanos) {
        try {
            return engine.comesBackFresh(nowNanos);
        } catch (Throwable broken) {
            return false;
        }
    }

    void forgetAll() {
        long now = time.nanoTime();
        for (PermitEngine engine : engines.values()) {
            forget(engine, now);
        }
    }

    /** Removes a retired engine. Who does not find its key finds its room. */
    void remove(PermitEngine retired) {
        Object key = retired.key();
        if (key != null) {
            engines.computeIfPresent(key, (same, present) -> present == retired ? afterFreeing() : present);
        }
    }

    private @Nullable PermitEngine afterFreeing() {
        keyCount.decrementAndGet();
        return null;
    }

    /** One that was retired before could not be removed then, as the key failed; perhaps it cannot be now, and is no reward. */
    private boolean forget(PermitEngine engine, long nowNanos) {
        try {
            boolean isForgotten = !engine.isRetired() && engine.nanosUntilIdle(nowNanos) == 0 && engine.retire();
            if (engine.isRetired()) {
                remove(engine);
            }
            return isForgotten;
        } catch (Throwable broken) {
            return false;
        }
    }

    private void sweep(int keys) {
        if (sweeping.get() || !sweeping.compareAndSet(false, true)) {
            return;
        }
        try {
            walk(keys, time.nanoTime());
        } finally {
            sweeping.set(false);
        }
    }

    /** Examines the key that can be forgotten first, then some keys, starting where the last walk ended, at most one round. */
    private void walk(int keys, long nowNanos) {
        PermitEngine first = next;
        if (first != null) {
            forget(first, nowNanos);
        }
        long firstWait = first == null ? PermitEngine.UNBOUNDED : nanosUntilForgotten(first, nowNanos);
        int left = keys;
        boolean mayBegin = true;
        for (int looked = 0; looked < MOST && left > 0; looked++) {
            if (!round.hasNext()) {
                if (!mayBegin || !beginRound()) {
                    break;
                }
                mayBegin = false;
                continue;
            }
            PermitEngine engine = round.next();
            left += forget(engine, nowNanos) ? REWARD - 1 : -1;
            long wait = nanosUntilForgotten(engine, nowNanos);
            if (wait < firstWait && comesBackFresh(engine, nowNanos)) {
                first = engine;
                firstWait = wait;
            }
        }
        next = firstWait == PermitEngine.UNBOUNDED ? null : first;
    }

    private boolean beginRound() {
        if (callsToRest > 0) {
            callsToRest--;
            return false;
        }
        int keys = keyCount.get();
        mostKeys = Math.max(mostKeys, keys);
        callsToRest = (mostKeys - keys) / MISSING_KEYS_PER_CALL;
        round = engines.values().iterator();
        return true;
    }
}
