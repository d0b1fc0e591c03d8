package dev.weir;

import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The limiters of all keys: one {@link PermitEngine} each, found, made and (see {@link IdleSweep}) forgotten. */
final class PartitionTable<K> implements PartitionedRateLimiter<K> {

    /*
     * A key has one engine at a time. It enters the map by putIfAbsent, so of several threads that bring one, one succeeds. It
     * is retired first and leaves the map second, so whoever finds it in between helps to remove it before it brings another;
     * and whoever found it before notices after the take that it has taken from a retired engine, which counts for nothing
     * (see Retirable). So two engines of one key never both grant, and a retired one was as fresh as the next.
     *
     * The limit function runs before the map is touched: a map that computed would hold a lock over it.
     */

    /** As many different limits share their terms; further ones each have their own, or a limit for each key would pile up. */
    private static final int MOST_SHARED_TERMS = 64;

    /** One call in so many for known keys looks for keys to forget; chosen at random, so that no counter is contended. */
    private static final int TENDING = 32;

    private final ConcurrentHashMap<Object, PermitEngine> engines = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Limit, Terms> sharedTerms = new ConcurrentHashMap<>();
    private final Function<? super K, Limit> limitOf;
    private final Settings settings;
    private final String name;
    private final int maximumKeys;
    private final @Nullable PermitEngine overflow;

    /** Places taken by keys that are in the map or about to be: at no time more than the maximum. */
    private final AtomicInteger places = new AtomicInteger();

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
        this.maximumKeys = maximumKeys;
        this.overflow =
                sharedByFurtherKeys == null ? null : new PermitEngine(Terms.alone(settings, sharedByFurtherKeys), null);
        this.sweep = new IdleSweep(engines, places, settings.timeSource);
    }

    @Override
    public RateLimiter forKey(K key) {
        KeyLimiter<K> limiter = new KeyLimiter<>(this, Objects.requireNonNull(key, "key"));
        limiter.find();
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
        return engines.mappingCount();
    }

    @Override
    public void close() {
        closed = true;
        try {
            Every.one(engines.values(), PermitEngine::close); // one that enters later is closed by whoever brings it
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

    boolean isClosed() {
        return closed;
    }

    void checkOpen() {
        if (closed) {
            throw new IllegalStateException("Partitioned rate limiter '" + name() + "' is closed");
        }
    }

    /** Returns the engine that answers for a key now, made if need be, or null if there is none for lack of room. */
    @Nullable
    PermitEngine engine(K key) {
        checkOpen();
        return engineEvenIfClosed(key);
    }

    private @Nullable PermitEngine engineEvenIfClosed(K key) {
        PermitEngine found = engines.get(key);
        if (found == null || found.isRetired()) {
            return make(key, () -> fresh(key));
        }
        tend();
        return found.isRetired() ? make(key, () -> fresh(key)) : found;
    }

    /** The same where no user code may be called: made by the terms of the engine found before, if any; null if that is not enough. */
    @Nullable
    PermitEngine engineWithoutUserCode(K key, @Nullable PermitEngine before) {
        if (closed || (before != null && !before.isRetired())) {
            return before;
        }
        PermitEngine known = known(key);
        if (known != null) {
            return known;
        }
        if (before != null) {
            return make(key, () -> new PermitEngine(before.terms(), key));
        }
        return places.get() < maximumKeys ? null : overflow;
    }

    /** To be called by each call for a known key: now and then it looks for keys to forget. */
    void tend() {
        if (ThreadLocalRandom.current().nextInt(TENDING) == 0) {
            sweep.tend();
        }
    }

    /** Tells whether that engine answers for one key only. */
    boolean isOwn(PermitEngine engine) {
        return engine != overflow;
    }

    /** Returns the engine that a key has now, if any. */
    @Nullable
    PermitEngine known(K key) {
        PermitEngine found = engines.get(key);
        return found != null && !found.isRetired() ? found : null;
    }

    /** Returns an engine to read from: none is made that others see. */
    PermitEngine look(K key) {
        PermitEngine found = known(key);
        if (found != null) {
            return found;
        }
        return overflow != null && places.get() >= maximumKeys ? overflow : fresh(key);
    }

    /** Returns an engine that the request has been checked against: none is made that others see. */
    PermitEngine check(K key, int permits) {
        PermitEngine stray = fresh(key);
        stray.terms().check(permits);
        return stray;
    }

    /** Refuses a request of a key for which there is no room. */
    Lease refuse(K key, int permits) {
        PermitEngine stray = check(key, permits);
        long now = stray.now();
        long wait = stray.nanosUntil(0, Math.max(1, permits), now);
        return stray.refused(permits, RefusalReason.EXHAUSTED, afterRoom(wait, now), now);
    }

    /** As {@link Member#nanosUntil}, of a key that has no limiter. */
    long nanosUntil(K key, long ahead, int permits, long nowNanos) {
        PermitEngine engine = look(key);
        long wait = engine.nanosUntil(ahead, permits, nowNanos);
        boolean hasPlace = engine == overflow || places.get() < maximumKeys || sweep.makeRoom(maximumKeys);
        return hasPlace ? wait : afterRoom(wait, nowNanos);
    }

    /** Returns how long it takes until there is room for a key; who then had to wait would do so only from when it asks. */
    private long afterRoom(long waitNanos, long nowNanos) {
        return waitNanos == 0 ? sweep.nanosUntilRoom(nowNanos) : PermitEngine.UNBOUNDED;
    }

    /** Takes from a key whose limiter is no more what was used after all. */
    private void chargeLate(Object lateKey, int permits) {
        @SuppressWarnings("unchecked") // it came back from an engine that was made for it
        K key = (K) lateKey;
        PermitEngine engine;
        do {
            engine = closed
                    ? null
                    : engineEvenIfClosed(key); // it may be closed now: leases that are out are settled as ever
            if (engine == null) {
                return;
            }
            engine.policy.charge(permits, engine.now());
        } while (!engine.keep());
    }

    private @Nullable PermitEngine make(K key, Supplier<PermitEngine> maker) {
        sweep.payForNewcomer();
        if (places.get() >= maximumKeys && !sweep.makeRoom(maximumKeys)) {
            return orOverflow(engines.get(key));
        }
        PermitEngine made = maker.get();
        while (true) {
            PermitEngine found = engines.get(key);
            if (found != null && !found.isRetired()) {
                return found;
            }
            if (found != null) {
                sweep.remove(found);
            } else if (takePlace()) {
                if (enter(key, made)) {
                    return made;
                }
            } else if (!sweep.makeRoom(maximumKeys)) {
                return orOverflow(engines.get(key));
            }
        }
    }

    private @Nullable PermitEngine orOverflow(@Nullable PermitEngine broughtByAnother) {
        return broughtByAnother == null ? overflow : broughtByAnother;
    }

    private boolean takePlace() {
        int taken = places.get();
        while (taken < maximumKeys) {
            if (places.compareAndSet(taken, taken + 1)) {
                return true;
            }
            taken = places.get();
        }
        return false;
    }

    private boolean enter(K key, PermitEngine made) {
        boolean entered = false;
        try {
            entered = engines.putIfAbsent(key, made) == null;
        } finally {
            if (!entered) {
                places.decrementAndGet();
            }
        }
        if (entered && closed) {
            made.close();
        }
        return entered;
    }

    private PermitEngine fresh(K key) {
        Limit limit = Objects.requireNonNull(limitOf.apply(key), "limit of a key");
        Terms shared = sharedTerms.get(limit);
        if (shared == null) {
            shared = Terms.oneOfMany(settings, limit, this::chargeLate);
            if (sharedTerms.mappingCount() < MOST_SHARED_TERMS) {
                sharedTerms.putIfAbsent(limit, shared);
            }
        }
        return new PermitEngine(shared, key);
    }

    @Override
    public String toString() {
        return "PartitionedRateLimiter[" + name() + "]";
    }
}
