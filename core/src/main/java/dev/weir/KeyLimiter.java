package dev.weir;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The limiter of a key that users hold. It stays valid while the engines behind it come and go. Each call goes to the engine that
 * the key has now, and is repeated with the next one if that engine was retired meanwhile.
 */
final class KeyLimiter<K> implements BuiltInLimiter {

    private final PartitionTable<K> table;
    private final K key;

    /** The engine found last: saves the lookup of the key while that engine is alive. */
    private volatile @Nullable PermitEngine latest;

    KeyLimiter(PartitionTable<K> table, K key) {
        this.table = table;
        this.key = key;
    }

    /** Returns the engine to use, created if necessary, or null if there is no room for one. */
    @Nullable
    PermitEngine engine() {
        PermitEngine found = latest;
        if (found != null && !found.isRetired()) {
            table.checkOpen();
            table.tend();
            if (!found.isRetired()) { // tend() may have retired it
                return found;
            }
        }
        found = table.engine(key);
        latest = found != null && table.isOwn(found) ? found : null;
        return found;
    }

    /** Returns an engine to read from; if it has to be created it is not published. */
    private PermitEngine toRead() {
        PermitEngine present = present();
        return present != null ? present : table.toRead(key);
    }

    /** Returns the engine that the key has now, if any. */
    private @Nullable PermitEngine present() {
        PermitEngine found = latest;
        return found != null && !found.isRetired() ? found : table.present(key);
    }

    @Override
    public String name() {
        return table.name();
    }

    @Override
    public Limit limit() {
        return toRead().limit();
    }

    // Asking

    @Override
    public Lease tryAcquire(int permits) {
        Lease answer;
        do {
            PermitEngine engine = engine();
            answer = engine == null ? table.refuse(key, permits) : engine.tryAcquireHere(permits);
        } while (answer == null);
        return answer;
    }

    @Override
    public boolean tryConsume(int permits) {
        long answer;
        do {
            PermitEngine engine = engine();
            if (engine == null) {
                table.check(key, permits);
                return false;
            }
            answer = engine.consumeHere(permits);
        } while (answer == PermitEngine.GONE);
        return answer == PermitPolicy.TAKEN;
    }

    @Override
    public PermitRequest request(int permits, long maxWaitNanos, PermitListener listener) {
        Objects.requireNonNull(listener, "listener");
        PermitRequest made;
        do {
            PermitEngine engine = engine();
            if (engine == null) {
                Delivery.tellAtOnce(null, listener, table.refuse(key, permits));
                return SettledRequest.INSTANCE;
            }
            made = engine.requestHere(permits, maxWaitNanos, listener);
        } while (made == null);
        return made;
    }

    // As the member of a chain

    @Override
    public TimeSource time() {
        return table.time();
    }

    @Override
    public void checkOpen() {
        table.checkOpen();
        PermitEngine present = present();
        if (present != null) {
            present.checkOpen();
        }
    }

    @Override
    public long nanosUntil(long ahead, int permits, long nowNanos) {
        PermitEngine present = present();
        return present != null
                ? present.nanosUntil(ahead, permits, nowNanos)
                : table.nanosUntil(key, ahead, permits, nowNanos);
    }

    /** {@inheritDoc} Where there is no room for the key, a lease that comes back may make some at any time. */
    @Override
    public long nanosAtLeast(Ahead ahead, int permits, long nowNanos) {
        return toRead().nanosAtLeast(ahead, permits, nowNanos);
    }

    @Override
    public long nanosUntilAsKnown(int permits, long nowNanos) {
        PermitEngine present = present();
        return present != null ? present.nanosUntilAsKnown(permits, nowNanos) : nanosUntil(0, permits, nowNanos);
    }

    @Override
    public long nanosUntilFirst(long nowNanos) {
        PermitEngine present = present();
        return present == null ? 0 : present.nanosUntilFirst(nowNanos);
    }

    @Override
    public @Nullable Lease takeForChain(ChainRequest chainRequest) {
        PermitEngine engine = table.engineWithoutUserCode(key, latest);
        return engine == null ? null : engine.takeForChain(chainRequest);
    }

    @Override
    public void addEngines(List<PermitEngine> engines) {
        PermitEngine present = table.engineWithoutUserCode(key, null);
        if (present != null) {
            engines.add(present);
        }
    }

    @Override
    public void signal() {
        PermitEngine present = present();
        if (present != null) {
            present.signal();
        }
    }

    // Steering

    @Override
    public void charge(int permits) {
        PermitEngine engine;
        do {
            engine = engine();
            if (engine == null) {
                Terms.checkCharge(limit(), permits); // checked even if there is no limiter to charge
                return;
            }
            engine.charge(permits);
        } while (!engine.confirmCharge());
    }

    @Override
    public void pauseFor(Duration duration) {
        Settings.nanos(duration, "duration"); // checked even if there is no limiter to pause
        steer(this::engine, engine -> engine.pauseFor(duration));
    }

    @Override
    public void reconfigure(Limit limit) {
        Objects.requireNonNull(limit, "limit");
        steer(this::engine, engine -> engine.reconfigure(limit));
    }

    @Override
    public void close() {
        steer(() -> table.engineUnlessClosed(key), PermitEngine::close);
    }

    private void steer(Supplier<@Nullable PermitEngine> engineOfKey, Consumer<PermitEngine> action) {
        PermitEngine engine;
        do {
            engine = engineOfKey.get();
            if (engine == null || !table.isOwn(engine)) {
                return;
            }
            action.accept(engine);
        } while (!engine.confirmUse());
    }

    // Telling

    @Override
    public long availablePermits() {
        return toRead().availablePermits();
    }

    @Override
    public RateLimiterStatistics statistics() {
        return toRead().statistics();
    }

    @Override
    public Optional<Duration> idleDuration() {
        return toRead().idleDuration();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof KeyLimiter<?> limiter && limiter.table == table && limiter.key.equals(key);
    }

    @Override
    public int hashCode() {
        return key.hashCode();
    }

    @Override
    public String toString() {
        return "RateLimiter[" + name() + ", one of many]";
    }
}
