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
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The limits of an application by name: a bean to get limiters from, and to change limits through while the application runs.
 *
 * <p>A limit that has a key has a limiter for each; the others have one. Thread-safe; closing it closes them all.
 */
public final class NamedLimits implements AutoCloseable {

    private final Supplier<WeirProperties> properties;
    private final LimiterFactory factory;
    private final Map<String, RateLimiter> single = new LinkedHashMap<>();
    private final Map<String, ReplaceableLimiters> keyed = new LinkedHashMap<>();

    /** As last changed. */
    private final Map<String, LimitDefinition> definitions;

    private final Set<String> names;

    /** Two changes at once could leave a definition that its limiter does not keep. */
    private final AtomicBoolean isChanging = new AtomicBoolean();

    private volatile Consumer<LimitDefinition> check = changed -> {};

    NamedLimits(Supplier<WeirProperties> properties, LimiterFactory factory, LimiterWatch watch) {
        this.properties = properties;
        this.factory = factory;
        Map<String, LimitDefinition> read = LimitReader.read(properties.get());
        this.names = Collections.unmodifiableSet(new LinkedHashSet<>(read.keySet()));
        this.definitions = new ConcurrentHashMap<>(read);
        read.forEach((name, definition) -> make(name, definition, watch));
    }

    private void make(String name, LimitDefinition definition, LimiterWatch watch) {
        if (definition.key() == null) {
            RateLimiter limiter = factory.limiter(definition);
            single.put(name, limiter);
            watch.made(limiter);
        } else {
            ReplaceableLimiters limiters = new ReplaceableLimiters(factory.partitioned(definition));
            keyed.put(name, limiters);
            watch.made(name, limiters);
        }
    }

    /**
     * Returns the names, in the order of the properties.
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
     * @throws IllegalArgumentException if there is none of that name
     */
    public LimitDefinition definition(String name) {
        return found(name, definitions::get, "limit");
    }

    /**
     * Returns the limiter of a limit without a key.
     *
     * @param name of the limit
     * @return the limiter, the same each time
     * @throws IllegalArgumentException if there is none of that name
     */
    public RateLimiter limiter(String name) {
        return found(name, single::get, "limit without a key");
    }

    /**
     * Returns the limiters of a limit with a key.
     *
     * @param name of the limit
     * @return one for each key, the same each time
     * @throws IllegalArgumentException if there are none of that name
     */
    public PartitionedRateLimiter<String> partitioned(String name) {
        return found(name, keyed::get, "limit with a key");
    }

    private <T> T found(String name, Function<String, @Nullable T> byName, String what) {
        return Optional.ofNullable(byName.apply(Objects.requireNonNull(name, "name")))
                .orElseThrow(() ->
                        new IllegalArgumentException("there is no " + what + " named '" + name + "', only " + names));
    }

    /** Has somebody look at each limit before it changes, who throws if what depends on it would make no sense any more. */
    void checkChanges(Consumer<LimitDefinition> by) {
        check = by;
    }

    /**
     * Changes a limit while the application runs, but not what is shared by keys beyond the maximum. Without a key, what was
     * granted counts against the new limit and waiting requests keep their places. With a key, all keys begin anew, so that
     * during one period a key may use the old limit and the new, and who keeps what {@code forKey} returned before goes on by the old
     * one: ask for it each time. But where limits are kept in Redis, what any node was granted
     * counts with a key as well. The other nodes keep to the old limit until they are told, too.
     *
     * @param name of the limit
     * @param limit of the same kind as before
     * @throws IllegalArgumentException if there is none of that name, or it is of another kind; nothing has changed then
     * @throws InvalidLimitException if a rule costs more than the limit could ever grant; nothing has changed then
     * @throws IllegalStateException if another thread is changing limits; nothing has changed then
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
            apply(List.of(latest.with(limit, latest.overflow())));
        });
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

    /** Changes those that differ: all, or nothing if anything is wrong. */
    private void apply(List<LimitDefinition> wanted) {
        List<LimitDefinition> changed = wanted.stream()
                .filter(after -> !after.equals(definition(after.name())))
                .toList();
        changed.forEach(check);
        changed.stream().map(this::prepared).toList().forEach(Runnable::run);
    }

    /** Makes what a change needs, which may fail, and returns the change itself. */
    private Runnable prepared(LimitDefinition after) {
        ReplaceableLimiters limiters = keyed.get(after.name());
        Runnable change;
        if (limiters != null) {
            PartitionedRateLimiter<String> next = factory.partitioned(after);
            change = () -> limiters.replaceBy(next);
        } else {
            RateLimiter limiter = limiter(after.name());
            change = () -> limiter.reconfigure(after.limit());
        }
        return () -> {
            change.run();
            definitions.put(after.name(), after);
        };
    }

    /**
     * Reads the properties again, as after the environment has changed, and changes those limits that differ, with what is shared by
     * keys beyond the maximum. Names, keys, kinds and queues stay as they were when the application started.
     *
     * @throws InvalidLimitException if the properties make no sense, ask for another kind, or for less than a rule costs; nothing
     *     has changed then
     * @throws IllegalStateException if another thread is changing limits; nothing has changed then
     */
    public void reload() {
        alone(() -> {
            Map<String, LimitDefinition> read = LimitReader.read(properties.get());
            read.keySet().retainAll(names);
            apply(read.values().stream().map(this::changed).toList());
        });
    }

    private LimitDefinition changed(LimitDefinition read) {
        LimitDefinition before = definition(read.name());
        if (read.limit().getClass() != before.limit().getClass()) {
            throw new InvalidLimitException(
                    "weir.limits." + read.name() + ".kind", "must not change while the application runs");
        }
        return before.with(read.limit(), read.overflow());
    }

    @Override
    public void close() {
        single.values().forEach(RateLimiter::close);
        keyed.values().forEach(ReplaceableLimiters::close);
    }
}
