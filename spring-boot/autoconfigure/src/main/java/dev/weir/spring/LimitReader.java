package dev.weir.spring;

import dev.weir.QueueOrder;
import dev.weir.limit.Limit;
import dev.weir.spring.WeirProperties.Named;
import dev.weir.webflux.WithoutKey;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads the limits of an application from its properties: resolves inherited settings and validates the result. */
final class LimitReader {

    private static final int SEGMENTS = 10;
    private static final int MAXIMUM_KEYS = 100_000;
    private static final int QUEUE_LIMIT = 1_000;

    private final Map<String, Named> all;

    private LimitReader(Map<String, Named> all) {
        this.all = all;
    }

    /** Returns all limits by name, except those without permits that serve only as a base of others. */
    static Map<String, LimitDefinition> read(WeirProperties properties) {
        Map<String, Named> all = LimitNames.toldApart(properties.limits());
        LimitReader reader = new LimitReader(all);
        Set<String> bases =
                all.values().stream().map(Named::base).filter(Objects::nonNull).collect(Collectors.toSet());
        Map<String, LimitDefinition> limits = new LinkedHashMap<>();
        for (String name : all.keySet()) {
            Map<String, Named> lineage = reader.lineage(name);
            Named complete = lineage.values().stream().reduce(Named::over).orElseThrow();
            boolean isBase = bases.contains(name);
            if (complete.permits() != null || !isBase) {
                limits.put(
                        name,
                        new OneLimit(
                                        name,
                                        own(all, name),
                                        complete,
                                        lineage,
                                        isBase,
                                        properties.redis().enabled())
                                .define());
            }
        }
        return limits;
    }

    /** Returns a limit and those it is based on, the nearest first, each with its own settings. */
    private Map<String, Named> lineage(String name) {
        Map<String, Named> lineage = new LinkedHashMap<>();
        String heir = name;
        String base = addTo(lineage, heir);
        while (base != null) {
            String property = "weir.limits." + heir + ".base";
            if (!all.containsKey(base)) {
                throw new InvalidLimitException(
                        property, "must be the name of a limit, of " + all.keySet() + ", but is '" + base + "'");
            }
            if (lineage.containsKey(base)) {
                throw new InvalidLimitException(
                        property, "must not lead back to '" + base + "', but does, from " + lineage.keySet());
            }
            heir = base;
            base = addTo(lineage, heir);
        }
        return lineage;
    }

    private @Nullable String addTo(Map<String, Named> lineage, String name) {
        Named own = own(all, name);
        lineage.put(name, own);
        return own.base();
    }

    private static Named own(Map<String, Named> all, String name) {
        return Objects.requireNonNull(all.get(name), name);
    }

    /**
     * One limit that is being validated. A setting that does not apply to its kind is an error only if the limit sets it itself and
     * is not a base: inherited settings may be meant for other limits on the same base, and those of a base for its heirs. A wrong
     * value is reported where it was set.
     *
     * @param own the limit's own settings
     * @param effective its own and inherited settings
     * @param lineage the own settings of the limit and of those it is based on, the nearest first
     * @param isBase whether other limits are based on it
     */
    private record OneLimit(
            String name, Named own, Named effective, Map<String, Named> lineage, boolean isBase, boolean hasRedis) {

        LimitDefinition define() {
            LimitKind kind = Objects.requireNonNullElse(effective.kind(), LimitKind.SLIDING_WINDOW_LOG);
            boolean isKeyed = effective.key() != null && !effective.key().equals("none");
            checkPlaces(kind, isKeyed);
            int permits = atLeast(1, "permits", Named::permits, required("permits", effective.permits()));
            return new LimitDefinition(
                    name,
                    limit(kind, permits),
                    backend(),
                    leaseAhead(),
                    isKeyed ? effective.key() : null,
                    Objects.requireNonNullElse(effective.withoutKey(), WithoutKey.SHARE),
                    atLeast(1, "maximum-keys", Named::maximumKeys, MAXIMUM_KEYS),
                    isKeyed ? overflow(kind) : null,
                    atLeast(0, "queue-limit", Named::queueLimit, QUEUE_LIMIT),
                    Objects.requireNonNullElse(effective.queueOrder(), QueueOrder.OLDEST_FIRST),
                    notNegative(effective.maxWait()),
                    Objects.requireNonNullElse(effective.waiting(), false));
        }

        private void checkPlaces(LimitKind kind, boolean isKeyed) {
            onlyFor("segments", own.segments(), kind, LimitKind.SLIDING_WINDOW);
            onlyFor("capacity", own.capacity(), kind, LimitKind.TOKEN_BUCKET);
            onlyFor("slack", own.slack(), kind, LimitKind.LEAKY_BUCKET);
            onlyIf(
                    kind != LimitKind.CONCURRENCY,
                    "period",
                    own.period(),
                    "must be removed, as the kind CONCURRENCY has no period");
            String keyless = "must be removed, or a key be set, as without one there are no keys";
            onlyIf(isKeyed, "without-key", own.withoutKey(), keyless);
            onlyIf(isKeyed, "maximum-keys", own.maximumKeys(), keyless);
            onlyIf(isKeyed, "overflow-permits", own.overflowPermits(), keyless);
            onlyIf(
                    backend() == LimitBackend.REDIS,
                    "lease-ahead",
                    own.leaseAhead(),
                    "belongs to the backend REDIS, but the backend is LOCAL");
        }

        private void onlyFor(String setting, @Nullable Object value, LimitKind kind, LimitKind meant) {
            onlyIf(kind == meant, setting, value, "belongs to the kind " + meant + ", but the kind is " + kind);
        }

        private void onlyIf(boolean hasPlace, String setting, @Nullable Object value, String problem) {
            if (value != null && !hasPlace && !isBase) {
                throw new InvalidLimitException(property(name, setting), problem);
            }
        }

        private LimitBackend backend() {
            if (effective.backend() == LimitBackend.REDIS && !hasRedis) {
                throw wrong("backend", Named::backend, "must not be REDIS unless weir.redis.enabled is true");
            }
            return Objects.requireNonNullElse(effective.backend(), hasRedis ? LimitBackend.REDIS : LimitBackend.LOCAL);
        }

        private int leaseAhead() {
            return backend() == LimitBackend.LOCAL ? 0 : atLeast(0, "lease-ahead", Named::leaseAhead, 0);
        }

        private Limit limit(LimitKind kind, int permits) {
            return checked(() -> unchecked(kind, permits));
        }

        /**
         * Returns the limit that all keys beyond the maximum share, null if they are refused; its burst follows from its own permits,
         * not those of a key.
         */
        private @Nullable Limit overflow(LimitKind kind) {
            if (effective.overflowPermits() == null) {
                return null;
            }
            int permits = atLeast(1, "overflow-permits", Named::overflowPermits, effective.overflowPermits());
            return switch (kind) {
                case TOKEN_BUCKET -> checked(() -> Limit.tokenBucket(permits, permits, period()));
                case LEAKY_BUCKET ->
                    checked(() -> Limit.leakyBucket(permits, period()).withSlack(Math.min(slack(), permits - 1)));
                default -> limit(kind, permits);
            };
        }

        private Limit checked(Supplier<Limit> settings) {
            try {
                return settings.get();
            } catch (IllegalArgumentException together) {
                throw new InvalidLimitException(
                        "weir.limits." + name, "has settings that do not go together: " + together.getMessage());
            }
        }

        private Limit unchecked(LimitKind kind, int permits) {
            return switch (kind) {
                case SLIDING_WINDOW_LOG -> Limit.of(permits, period());
                case SLIDING_WINDOW ->
                    Limit.slidingWindow(permits, period(), atLeast(1, "segments", Named::segments, SEGMENTS));
                case SLIDING_WINDOW_COUNTER -> Limit.slidingWindowCounter(permits, period());
                case FIXED_WINDOW -> Limit.fixedWindow(permits, period());
                case TOKEN_BUCKET ->
                    Limit.tokenBucket(atLeast(1, "capacity", Named::capacity, permits), permits, period());
                case LEAKY_BUCKET -> Limit.leakyBucket(permits, period()).withSlack(slack());
                case CONCURRENCY -> Limit.concurrency(permits);
            };
        }

        private int slack() {
            return atLeast(0, "slack", Named::slack, 0);
        }

        private Duration period() {
            Duration period = required("period", effective.period());
            if (period.isZero() || period.isNegative()) {
                throw wrong("period", Named::period, "must be positive, but is " + period);
            }
            if (period.compareTo(Duration.ofDays(3_650)) > 0) {
                throw wrong("period", Named::period, "must be at most 3650 days, but is " + period);
            }
            return period;
        }

        private @Nullable Duration notNegative(@Nullable Duration maxWait) {
            if (maxWait != null && maxWait.isNegative()) {
                throw wrong("max-wait", Named::maxWait, "must not be negative, but is " + maxWait);
            }
            return maxWait;
        }

        private <T> T required(String setting, @Nullable T value) {
            if (value == null) {
                throw new InvalidLimitException(property(name, setting), "must be set");
            }
            return value;
        }

        private int atLeast(int least, String setting, Function<Named, @Nullable Integer> reading, int unlessSet) {
            Integer set = reading.apply(effective);
            int value = set == null ? unlessSet : set;
            if (value < least) {
                throw wrong(setting, reading, "must be at least " + least + ", but is " + value);
            }
            return value;
        }

        /** Names the setting of the limit that has it: the nearest, of this one and those that it is based on. */
        private InvalidLimitException wrong(
                String setting, Function<Named, ? extends @Nullable Object> reading, String problem) {
            String whereSet = lineage.entrySet().stream()
                    .filter(limit -> reading.apply(limit.getValue()) != null)
                    .map(Map.Entry::getKey)
                    .findFirst()
                    .orElse(name);
            return new InvalidLimitException(property(whereSet, setting), problem);
        }

        private static String property(String limit, String setting) {
            return "weir.limits." + limit + "." + setting;
        }
    }
}
