package dev.weir;

import dev.weir.handle.Every;
import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The limiters of all keys: finds, creates and (see {@link IdleSweep}) forgets one {@link PermitEngine} per key. */
final class PartitionTable<K> implements PartitionedRateLimiter<K> {

    /*
     * A key has one engine at a time. An engine enters the map by computeIfAbsent, so of several threads that bring one, one
     * succeeds. Entering takes room, and leaving frees it, in the map's lock of that key; so a key is beyond the maximum only if in
     * that lock it is not there, and there is no room. Looked at one after the other, both would prove nothing: the key may have
     * come and gone in between. An engine is retired first and leaves the map second: a thread that finds it in between helps to
     * remove it before it brings another. A thread that found it before notices after the take that it has taken from a retired
     * engine, which counts for nothing (see Retirable). So two engines of one key never both grant, and a retired one was in the
     * same state as a new one.
     *
     * The limit function runs before the map is touched: computeIfAbsent holds a lock.
     */

    /** The most limits whose terms are shared: further ones each have their own, or a limit per key would fill the map. */
    private static final int MOST_SHARED_TERMS = 64;

    /** One in this many calls for known keys looks for keys to forget; chosen at random, so that no counter is contended. */
    private static final int TENDING = 32;

    private final ConcurrentHashMap<Object, PermitEngine> engines = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Limit, Terms> sharedTerms = new ConcurrentHashMap<>();
    private final Function<? super K, Limit> limitOf;
    private final Settings settings;
    private final String name;
    private final @Nullable PermitEngine overflow;

    private final IdleSweep sweep;
    private volatile boolean closed;

    PartitionTable(
            Function<? super K, Limit> limitOf,
            Settings settings,
            int maximumKeys,
            @Nullable Limit sharedByFurtherKeys) {
        this.limitOf = limitOf;
        this.settings = settings;
        this.name = Objects.requireNonNull(settings.name, "name");
        this.overflow =
                sharedByFurtherKeys == null ? null : new PermitEngine(Terms.alone(settings, sharedByFurtherKeys), null);
        this.sweep = new IdleSweep(engines, maximumKeys, settings.timeSource);
    }

    @Override
    public RateLimiter forKey(K key) {
        KeyLimiter<K> limiter = new KeyLimiter<>(this, Objects.requireNonNull(key, "key"));
        limiter.engine();
        return limiter;
    }

    @Override
    public Lease tryAcquire(K key, int permits) {
        Objects.requireNonNull(key, "key");
        Lease answer;
        do {
            PermitEngine engine = engine(key);
            answer = engine == null ? refuse(key, permits) : engine.tryAcquireHere(permits);
        } while (answer == null);
        return answer;
    }

    @Override
    public CompletableFuture<Lease> acquire(K key, int permits) {
        return new KeyLimiter<>(this, Objects.requireNonNull(key, "key")).acquire(permits);
    }

    @Override
    public long keyCount() {
        sweep.forgetAll();
        return keptKeys();
    }

    long keptKeys() {
        return sweep.keys();
    }

    @Override
    public void close() {
        closed = true;
        try {
            Every.one(engines.values(), PermitEngine::close); // one that enters later is closed by its own thread
        } finally {
            if (overflow != null) {
                overflow.close();
            }
        }
    }

    // For the limiters of keys

    String name() {
        return name;
    }

    TimeSource time() {
        return settings.timeSource;
    }

    void checkOpen() {
        if (closed) {
            throw new IllegalStateException("Partitioned rate limiter '" + name() + "' is closed");
        }
    }

    /** Returns the engine of a key, created if necessary, or null if there is no room for one. */
    @Nullable
    PermitEngine engine(K key) {
        checkOpen();
        return engineEvenIfClosed(key);
    }

    /** As {@link #engine}, or null if all are closed; one that is returned may be closed by now. */
    @Nullable
    PermitEngine engineUnlessClosed(K key) {
        return closed ? null : engineEvenIfClosed(key);
    }

    private @Nullable PermitEngine engineEvenIfClosed(K key) {
        PermitEngine found = present(key);
        if (found != null) {
            tend(); // may retire it
        }
        return found != null && !found.isRetired() ? found : make(key, () -> newEngine(key));
    }

    /** As {@link #engine}, without calling user code: a new one takes the terms of {@code before}; null if that is not enough. */
    @Nullable
    PermitEngine engineWithoutUserCode(K key, @Nullable PermitEngine before) {
        if (closed || (before != null && !before.isRetired())) {
            return before;
        }
        return before == null ? presentOrOverflow(key) : make(key, () -> new PermitEngine(before.terms(), key));
    }

    /** Called by each call for a known key: occasionally looks for keys to forget. */
    void tend() {
        if (ThreadLocalRandom.current().nextInt(TENDING) == 0) {
            sweep.tend();
        }
    }

    /** Returns whether an engine belongs to one key only. */
    boolean isOwn(PermitEngine engine) {
        return engine != overflow;
    }

    /** Returns the engine that a key has now, if any. */
    @Nullable
    PermitEngine present(K key) {
        PermitEngine found = engines.get(key);
        return found != null && !found.isRetired() ? found : null;
    }

    /** Returns the engine that a key has now, or the one shared by further keys, if any; null if the key would get a new one. */
    private @Nullable PermitEngine presentOrOverflow(K key) {
        while (true) {
            PermitEngine found = presentAfterHelping(key);
            if (found != null || sweep.hasRoom()) {
                return found;
            }
            if (sweep.isBeyondMaximum(key)) {
                return overflow;
            }
        }
    }

    /** As {@link #present}; a retired one is removed: otherwise its room counts as taken, and it could be found again and again. */
    private @Nullable PermitEngine presentAfterHelping(K key) {
        PermitEngine found = engines.get(key);
        if (found != null && found.isRetired()) {
            sweep.remove(found);
            return null;
        }
        return found;
    }

    /** Returns an engine to read from; if it has to be created it is not published. */
    PermitEngine toRead(K key) {
        PermitEngine found = presentOrOverflow(key);
        return found != null ? found : newEngine(key);
    }

    /** Checks a request against the limit of its key. */
    void check(K key, int permits) {
        termsOf(key).check(permits);
    }

    /** Refuses a request of a key for which there is no room. */
    Lease refuse(K key, int permits) {
        PermitEngine stray = newEngine(key);
        stray.terms().check(permits);
        long now = stray.now();
        long wait = stray.nanosUntil(0, Math.max(1, permits), now);
        return stray.exhausted(permits, afterRoom(wait, now), now);
    }

    /** As {@link BuiltInLimiter#nanosUntil}, for a key that has no limiter. */
    long nanosUntil(K key, long ahead, int permits, long nowNanos) {
        PermitEngine found = presentOrOverflow(key);
        if (found != null) {
            return found.nanosUntil(ahead, permits, nowNanos);
        }
        long wait = newEngine(key).nanosUntil(ahead, permits, nowNanos);
        return sweep.makeRoom() ? wait : afterRoom(wait, nowNanos);
    }

    /** Returns how long until there is room for a key; unknown if its new limiter would then make the request wait. */
    private long afterRoom(long waitNanos, long nowNanos) {
        return waitNanos == 0 ? sweep.nanosUntilRoom(nowNanos) : PermitEngine.UNBOUNDED;
    }

    /** Charges a key whose limiter has been forgotten for permits used beyond those granted. */
    private void chargeLate(Object lateKey, int permits) {
        @SuppressWarnings("unchecked") // it came back from an engine that was made for it
        K key = (K) lateKey;
        PermitEngine engine;
        do {
            engine = engineUnlessClosed(key); // leases already granted are settled even if that is closed by now
            if (engine == null) {
                return;
            }
            engine.policy.charge(permits, engine.now());
            engine.lookAgain();
        } while (!engine.confirmUse());
    }

    private @Nullable PermitEngine make(K key, Supplier<PermitEngine> maker) {
        sweep.payForNewcomer();
        PermitEngine made = null;
        while (true) {
            PermitEngine found = presentAfterHelping(key);
            if (found != null) {
                return found;
            }
            if (!sweep.makeRoom()) {
                if (sweep.isBeyondMaximum(key)) {
                    return overflow;
                }
            } else if (made == null) {
                made = maker.get(); // may be user code that takes long: the key is looked for again
            } else if (sweep.enter(key, made)) {
                if (closed) {
                    made.close();
                }
                return made;
            }
        }
    }

    private PermitEngine newEngine(K key) {
        return new PermitEngine(termsOf(key), key);
    }

    private Terms termsOf(K key) {
        Limit limit = Objects.requireNonNull(limitOf.apply(key), "limit of a key");
        Terms shared = sharedTerms.get(limit);
        if (shared == null) {
            shared = Terms.oneOfMany(settings, limit, this::chargeLate);
            if (sharedTerms.mappingCount() < MOST_SHARED_TERMS) {
                sharedTerms.putIfAbsent(limit, shared);
            }
        }
        return shared;
    }

    @Override
    public String toString() {
        return "PartitionedRateLimiter[" + name() + "]";
    }
}
