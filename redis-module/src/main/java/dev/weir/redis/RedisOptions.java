package dev.weir.redis;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * How limits are kept in Redis. Immutable: each method returns changed options.
 *
 * <p>What concerns the connection (addresses, TLS, users, topology, timeouts, the size of the request queue) is set on the Lettuce
 * client.
 */
public final class RedisOptions {

    private static final RedisOptions DEFAULTS = new RedisOptions(new Settings());

    /** The same maximum as for periods: about 73 years. */
    static final Duration LONGEST = Duration.ofNanos((1L << 61) - 1);

    private final Settings settings;

    private RedisOptions(Settings settings) {
        this.settings = settings;
    }

    /**
     * Returns the default options: keys begin with {@code weir}, the deadline is 50 ms, each node enforces its share of the limit
     * during an outage, one node is expected, nothing is leased ahead, permits of a concurrency limit that a dead node held are
     * free after 10 seconds, at most 2,048 calls are in flight, and up to 32 keys go in one command.
     *
     * @return the options
     */
    public static RedisOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Sets the prefix of all keys.
     *
     * @param prefix without braces, which mark hash tags in Redis Cluster; default {@code weir}
     * @return changed options
     * @throws IllegalArgumentException if it contains braces
     */
    public RedisOptions keyPrefix(String prefix) {
        if (Objects.requireNonNull(prefix, "prefix").contains("{") || prefix.contains("}")) {
            throw new IllegalArgumentException("keyPrefix must have no braces, but is " + prefix);
        }
        return with(set -> set.keyPrefix = prefix);
    }

    /**
     * Sets how long to wait for an answer of Redis. A request without an answer by then is decided as if Redis were unavailable,
     * and whatever Redis may have taken for it counts as spent.
     *
     * @param longest positive, at most 73 years; default 50 ms
     * @return changed options
     * @throws IllegalArgumentException if it is not positive, or longer
     */
    public RedisOptions deadline(Duration longest) {
        return with(set -> set.deadline = positive(longest, "deadline"));
    }

    /**
     * Sets how requests are decided while Redis does not answer.
     *
     * @param what how; default {@link WhenUnavailable#LOCAL}
     * @return changed options
     */
    public RedisOptions whenUnavailable(WhenUnavailable what) {
        return with(set -> set.whenUnavailable = Objects.requireNonNull(what, "what"));
    }

    /**
     * Sets how many nodes share the limits: the divisor that {@link WhenUnavailable#LOCAL} applies. With 1, each node admits the
     * whole limit while Redis does not answer.
     *
     * @param nodes at least 1; default 1
     * @return changed options
     * @throws IllegalArgumentException if there are fewer
     */
    public RedisOptions expectedNodes(int nodes) {
        return with(set -> set.expectedNodes = positive(nodes, "expectedNodes"));
    }

    /**
     * Lets each node lease up to {@code permits} permits in advance and grant them without asking Redis, for keys that are
     * requested very often. Leased permits must be used within one period of their limit (of a bucket: the time that it takes to
     * fill), or they are lost. For concurrency limits, alone or among several, nothing is leased ahead.
     *
     * <p>The price is that permits may be used up to a period after Redis has counted them. So an interval may see up to
     * {@code nodes * permits} more than the bound of its limit; the long-run rate stays the limit.
     *
     * @param permits how many, zero for none; default zero
     * @return changed options
     * @throws IllegalArgumentException if it is negative
     */
    public RedisOptions leaseAhead(int permits) {
        if (permits < 0) {
            throw new IllegalArgumentException("leaseAhead must not be negative, but is " + permits);
        }
        return with(set -> set.leaseAhead = permits);
    }

    /**
     * Sets for how long the permits of a concurrency limit that a node holds count as in use without hearing from that node. Nodes
     * renew what they hold three times within that time.
     *
     * @param longest positive, at most 73 years; default 10 s
     * @return changed options
     * @throws IllegalArgumentException if it is not positive, or longer
     */
    public RedisOptions leaseTime(Duration longest) {
        return with(set -> set.leaseTime = positive(longest, "leaseTime"));
    }

    /**
     * Sets how many calls to Redis may be in flight, over all limiters created by one {@link RedisRateLimiters}. One limiter, or
     * one key, never has more than one. So this bounds what the client holds while a server hangs and many keys are requested; a
     * request that would need one more is decided at once, as if Redis were unavailable.
     *
     * <p>More calls than a server can answer within the deadline are of no use.
     *
     * @param calls at least 1; default 2,048
     * @return changed options
     * @throws IllegalArgumentException if there are fewer
     */
    public RedisOptions maxInFlight(int calls) {
        return with(set -> set.maxInFlight = positive(calls, "maxInFlight"));
    }

    /**
     * Sets how many keys of one limit may go to a server in one command, when many are requested at once. To a cluster, and to a
     * server that has refused several keys in one command, keys are sent one by one.
     *
     * <p>Set it to 1 behind a proxy that shards keys over servers and routes a command by its first key: the other keys would be
     * counted on the wrong server.
     *
     * @param keys at least 1; default 32
     * @return changed options
     * @throws IllegalArgumentException if there are fewer
     */
    public RedisOptions keysPerCommand(int keys) {
        return with(set -> set.keysPerCommand = positive(keys, "keysPerCommand"));
    }

    private RedisOptions with(Consumer<Settings> change) {
        Settings changed = new Settings(settings);
        change.accept(changed);
        return new RedisOptions(changed);
    }

    private static int positive(int count, String name) {
        if (count < 1) {
            throw new IllegalArgumentException(name + " must be at least 1, but is " + count);
        }
        return count;
    }

    private static Duration positive(Duration duration, String name) {
        if (Objects.requireNonNull(duration, name).isNegative() || duration.isZero()) {
            throw new IllegalArgumentException(name + " must be positive, but is " + duration);
        }
        if (duration.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + " must be at most " + LONGEST + ", but is " + duration);
        }
        return duration;
    }

    String keyPrefix() {
        return settings.keyPrefix;
    }

    Duration deadline() {
        return settings.deadline;
    }

    WhenUnavailable whenUnavailable() {
        return settings.whenUnavailable;
    }

    int expectedNodes() {
        return settings.expectedNodes;
    }

    int leaseAhead() {
        return settings.leaseAhead;
    }

    Duration leaseTime() {
        return settings.leaseTime;
    }

    int maxInFlight() {
        return settings.maxInFlight;
    }

    int keysPerCommand() {
        return settings.keysPerCommand;
    }

    @Override
    public String toString() {
        return "RedisOptions[keyPrefix=" + settings.keyPrefix + ", deadline=" + settings.deadline + ", whenUnavailable="
                + settings.whenUnavailable + ", expectedNodes=" + settings.expectedNodes + ", leaseAhead="
                + settings.leaseAhead + ", leaseTime=" + settings.leaseTime + ", maxInFlight=" + settings.maxInFlight
                + ", keysPerCommand=" + settings.keysPerCommand + "]";
    }

    /** What is set; written only before options are made of it, whose final field shows it to all threads. */
    private static final class Settings {

        private String keyPrefix = "weir";
        private Duration deadline = Duration.ofMillis(50);
        private WhenUnavailable whenUnavailable = WhenUnavailable.LOCAL;
        private int expectedNodes = 1;
        private int leaseAhead;
        private Duration leaseTime = Duration.ofSeconds(10);
        private int maxInFlight = 2048;
        private int keysPerCommand = 32;

        Settings() {}

        Settings(Settings from) {
            this.keyPrefix = from.keyPrefix;
            this.deadline = from.deadline;
            this.whenUnavailable = from.whenUnavailable;
            this.expectedNodes = from.expectedNodes;
            this.leaseAhead = from.leaseAhead;
            this.leaseTime = from.leaseTime;
            this.maxInFlight = from.maxInFlight;
            this.keysPerCommand = from.keysPerCommand;
        }
    }
}
