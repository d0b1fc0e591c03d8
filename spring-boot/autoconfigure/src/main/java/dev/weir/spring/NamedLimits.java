package dev.weir.spring;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The limits of an application by name: a bean that provides the limiters and changes limits while the application runs.
 *
 * <p>A limit with a key has a limiter for each key; any other limit has one. Thread-safe; closing this closes all limiters.
 */
public final class NamedLimits implements AutoCloseable {

    private final Supplier<WeirProperties> properties;
    private final LimiterFactory factory;
    private final Map<String, RateLimiter> single = new LinkedHashMap<>();
    private final Map<String, ReplaceableLimiters> keyed = new LinkedHashMap<>();

    /** The definitions, as last changed. */
    private final Map<String, LimitDefinition> definitions;

    private final Set<String> names;

    /** Excludes concurrent changes, which could leave a definition that differs from the limit of its limiter. */
    private final AtomicBoolean isChanging = new AtomicBoolean();

    /** Those of this context's rules, and of child contexts, which come and go while limits change. */
    private final List<Consumer<LimitDefinition>> checks = new CopyOnWriteArrayList<>();

    NamedLimits(Supplier<WeirProperties> properties, LimiterFactory factory, LimiterWatch watch) {
        this.properties = properties;
        this.factory = factory;
        Map<String, LimitDefinition> read = LimitReader.read(properties.get());
        this.names = Collections.unmodifiableSet(new LinkedHashSet<>(read.keySet()));
        this.definitions = new ConcurrentHashMap<>(read);
        read.forEach((name, definition) -> make(name, definition, watch));
    }

    private void make(String name, LimitDefinition definition, LimiterWatch watch) {
        if (definition.hasKey()) {
            ReplaceableLimiters limiters = new ReplaceableLimiters(partitioned(definition));
            keyed.put(name, limiters);
            watch.made(name, limiters);
        } else {
            RateLimiter limiter = made(factory.limiter(definition), definition);
            single.put(name, limiter);
            watch.made(limiter);
        }
    }

    private PartitionedRateLimiter<String> partitioned(LimitDefinition definition) {
        return made(factory.partitioned(definition), definition);
    }

    private <T> T made(@Nullable T limiter, LimitDefinition definition) {
        return Objects.requireNonNull(
                limiter,
                () -> factory.getClass().getName() + " has returned no limiter for the limit '" + definition.name()
                        + "'");
    }

    /**
     * Returns the names of all limits, in the order of the properties.
     *
     * @return the names
     */
    public Set<String> names() {
        return names;
    }

    /**
     * Returns the definition of a limit, as last changed.
     *
     * @param name of the limit
     * @return the definition
     * @throws IllegalArgumentException if there is no limit of that name
     */
    public LimitDefinition definition(String name) {
        LimitDefinition definition = definitions.get(Objects.requireNonNull(name, "name"));
        if (definition == null) {
            throw new IllegalArgumentException("there is no limit named '" + name + "', only " + names);
        }
        return definition;
    }

    /**
     * Returns the limiter of a limit without a key.
     *
     * @param name of the limit
     * @return the limiter, the same each time
     * @throws IllegalArgumentException if there is no limit without a key of that name
     */
    public RateLimiter limiter(String name) {
        if (definition(name).hasKey()) {
            throw new IllegalArgumentException("limit '" + name + "' has a key: use partitioned(\"" + name + "\")");
        }
        return Objects.requireNonNull(single.get(name), name);
    }

    /**
     * Returns the partitioned limiter of a limit with a key.
     *
     * @param name of the limit
     * @return the partitioned limiter, the same each time
     * @throws IllegalArgumentException if there is no limit with a key of that name
     */
    public PartitionedRateLimiter<String> partitioned(String name) {
        return replaceable(name);
    }

    private ReplaceableLimiters replaceable(String name) {
        if (!definition(name).hasKey()) {
            throw new IllegalArgumentException("limit '" + name + "' has no key: use limiter(\"" + name + "\")");
        }
        return Objects.requireNonNull(keyed.get(name), name);
    }

    /**
     * Adds a check that is called with each changed definition before it is applied, and throws to reject the change.
     *
     * @return what removes the check
     */
    Runnable checkChanges(Consumer<LimitDefinition> check) {
        checks.add(check);
        return () -> checks.remove(check);
    }

    /**
     * Changes a limit while the application runs, except the limit shared by keys beyond the maximum. Without a key, permits
     * already granted count against the new limit, and waiting requests keep their places. With a key, all keys start anew, so that
     * during one period a key may use both the old and the new limit. A limiter that {@code forKey} returned before the change
     * keeps the old limit, so call {@code forKey} each time. If the limit is kept in Redis, permits already granted by any node
     * count even with a key. The change affects this node only: other nodes keep the old limit until it is changed there, too.
     *
     * <p>A limiter that has been reconfigured itself, or slowed down by what a server announces, has the given limit again, even if
     * that is the one that was set here before. With a key, the same limit changes nothing.
     *
     * @param name of the limit
     * @param limit the new limit, of the same kind as before
     * @throws IllegalArgumentException if there is no limit of that name, or it is of another kind, or the limiter that a factory of
     *     the application's own has made refuses it; nothing has changed then
     * @throws InvalidLimitException if a rule costs more than the limit could ever grant; nothing has changed then
     * @throws IllegalStateException if another thread is changing limits, or the limit has no key and its limiter is closed;
     *     nothing has changed then
     */
    public void change(String name, Limit limit) {
        LimitDefinition before = definition(name);
        Objects.requireNonNull(limit, "limit");
        if (before.limit().getClass() != limit.getClass()) {
            throw new IllegalArgumentException(
                    "limit '" + name + "' must stay of the kind of " + before.limit() + ", but is " + limit);
        }
        alone(() -> {
            LimitDefinition latest = definition(name);
            LimitDefinition wanted = latest.with(limit, latest.overflow());
            if (!wanted.hasKey() || differs(wanted)) {
                apply(List.of(wanted));
            }
        });
    }

    private boolean differs(LimitDefinition wanted) {
        return !wanted.equals(definition(wanted.name()));
    }

    private void alone(Runnable change) {
        if (!isChanging.compareAndSet(false, true)) {
            throw new IllegalStateException("limits are being changed by another thread");
        }
        try {
            change.run();
        } finally {
            isChanging.set(false);
        }
    }

    /** Applies all definitions, or none if any of them is invalid or refused by its limiter. */
    private void apply(List<LimitDefinition> changed) {
        checks.forEach(changed::forEach);
        changed.stream().filter(after -> !after.hasKey()).forEach(this::checkOpen);
        LimitChange change = new LimitChange();
        try {
            changed.stream().filter(LimitDefinition::hasKey).forEach(after -> replace(after, change));
            changed.stream().filter(after -> !after.hasKey()).forEach(after -> reconfigure(after, change));
        } catch (Throwable refused) {
            change.undo(refused);
            throw refused;
        }
        change.publish();
        changed.forEach(after -> definitions.put(after.name(), after));
    }

    /** Charges nothing, but fails if the limiter is closed: before any other limiter is changed. */
    private void checkOpen(LimitDefinition definition) {
        limiter(definition.name()).charge(0);
    }

    private void replace(LimitDefinition after, LimitChange change) {
        change.replace(replaceable(after.name()), partitioned(after));
    }

    private void reconfigure(LimitDefinition after, LimitChange change) {
        change.reconfigure(limiter(after.name()), after.limit());
    }

    /**
     * Reads the properties again, such as after a change of the environment, and changes those limits that are defined otherwise than
     * before, including the limits shared by keys beyond the maximum. Names, keys, kinds and queues stay as they were when the
     * application started: a limit that is new in the properties is not made, and one that is gone from them is kept, as is the
     * limit shared by keys beyond the maximum if the key is gone. A limiter that has been reconfigured itself keeps its limit unless
     * its properties have changed.
     *
     * <p>If a limiter that a factory of the application's own has made refuses its new limit, or a limiter is closed meanwhile, limits
     * that have been changed before it are changed back. A request that waits, and needs more than its limit grants in between, may
     * be refused.
     *
     * @throws IllegalArgumentException if a limiter that a factory of the application's own has made refuses its new limit; no limit
     *     has changed then
     * @throws InvalidLimitException if the properties are invalid, change the kind of a limit, or make a limit too small for the
     *     cost of a rule; nothing has changed then
     * @throws IllegalStateException if another thread is changing limits, or the limiter of a limit without a key that differs is
     *     closed; no limit has changed then
     */
    public void reload() {
        alone(() -> {
            Map<String, LimitDefinition> read = LimitReader.read(properties.get());
            read.keySet().retainAll(names);
            apply(read.values().stream()
                    .map(this::changed)
                    .filter(this::differs)
                    .toList());
        });
    }

    private LimitDefinition changed(LimitDefinition read) {
        LimitDefinition before = definition(read.name());
        if (read.limit().getClass() != before.limit().getClass()) {
            throw new InvalidLimitException(
                    "weir.limits." + read.name() + ".kind", "must not change while the application runs");
        }
        // What is read where a key is new, or gone, says nothing of what keys beyond the maximum share here.
        boolean isKeyedAlike = read.hasKey() == before.hasKey();
        return before.with(read.limit(), isKeyedAlike ? read.overflow() : before.overflow());
    }

    /** Closes all limiters, even if some fail to close; throws the first failure then, with the others suppressed. */
    @Override
    public void close() {
        Stream<Runnable> ofSingle = single.values().stream().map(limiter -> limiter::close);
        Stream<Runnable> ofKeyed = keyed.values().stream().map(limiters -> limiters::close);
        Closing.each(Stream.concat(ofSingle, ofKeyed));
    }
}
