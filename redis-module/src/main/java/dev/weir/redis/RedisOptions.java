package dev.weir.redis;

import java.time.Duration;
import java.util.Objects;

/**
 * How limits are kept in Redis. Immutable: each method returns changed options.
 *
 * <p>What concerns the connection (addresses, TLS, users, topology, timeouts, the size of the request queue) is set on the Lettuce
 * client.
 */
public final class RedisOptions {

    private static final RedisOptions DEFAULTS = new RedisOptions(new Draft());

    /** The same maximum as for periods: about 73 years. */
    private static final Duration LONGEST = Duration.ofNanos((1L << 61) - 1);

    private final String keyPrefix;
    private final Duration deadline;
    private final WhenUnavailable whenUnavailable;
    private final int expectedNodes;
    private final int leaseAhead;
    private final Duration leaseTime;
    private final int maxInFlight;
    private final int keysPerCommand;

    private RedisOptions(Draft draft) {
        this.keyPrefix = draft.keyPrefix;
        this.deadline = draft.deadline;
        this.whenUnavailable = draft.whenUnavailable;
        this.expectedNodes = draft.expectedNodes;
        this.leaseAhead = draft.leaseAhead;
        this.leaseTime = draft.leaseTime;
        this.maxInFlight = draft.maxInFlight;
        this.keysPerCommand = draft.keysPerCommand;
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
        Draft draft = new Draft(this);
        draft.keyPrefix = prefix;
        return new RedisOptions(draft);
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
        positive(longest, "deadline");
        Draft draft = new Draft(this);
        draft.deadline = longest;
        return new RedisOptions(draft);
    }

    /**
     * Sets how requests are decided while Redis does not answer.
     *
     * @param what how; default {@link WhenUnavailable#LOCAL}
     * @return changed options
     */
    public RedisOptions whenUnavailable(WhenUnavailable what) {
        Objects.requireNonNull(what, "what");
        Draft draft = new Draft(this);
        draft.whenUnavailable = what;
        return new RedisOptions(draft);
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
        positive(nodes, "expectedNodes");
        Draft draft = new Draft(this);
        draft.expectedNodes = nodes;
        return new RedisOptions(draft);
    }

    /**
     * Lets each node lease up to {@code permits} permits in advance and grant them without asking Redis, for keys that are
     * requested very often. Leased permits must be used within one period of their limit, or they are lost. For concurrency limits,
     * alone or among several, nothing is leased ahead.
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
        Draft draft = new Draft(this);
        draft.leaseAhead = permits;
        return new RedisOptions(draft);
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
        positive(longest, "leaseTime");
        Draft draft = new Draft(this);
        draft.leaseTime = longest;
        return new RedisOptions(draft);
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
        positive(calls, "maxInFlight");
        Draft draft = new Draft(this);
        draft.maxInFlight = calls;
        return new RedisOptions(draft);
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
        positive(keys, "keysPerCommand");
        Draft draft = new Draft(this);
        draft.keysPerCommand = keys;
        return new RedisOptions(draft);
    }

    private static void positive(int count, String name) {
        if (count < 1) {
            throw new IllegalArgumentException(name + " must be at least 1, but is " + count);
        }
    }

    private static void positive(Duration duration, String name) {
        if (Objects.requireNonNull(duration, name).isNegative() || duration.isZero()) {
            throw new IllegalArgumentException(name + " must be positive, but is " + duration);
        }
        if (duration.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + " must be at most " + LONGEST + ", but is " + duration);
        }
    }

    String keyPrefix() {
        return keyPrefix;
    }

    Duration deadline() {
        return deadline;
    }

    WhenUnavailable whenUnavailable() {
        return whenUnavailable;
    }

    int expectedNodes() {
        return expectedNodes;
    }

    int leaseAhead() {
        return leaseAhead;
    }

    Duration leaseTime() {
        return leaseTime;
    }

    int maxInFlight() {
        return maxInFlight;
    }

    int keysPerCommand() {
        return keysPerCommand;
    }

    @Override
    public String toString() {
        return "RedisOptions[keyPrefix=" + keyPrefix + ", deadline=" + deadline + ", whenUnavailable=" + whenUnavailable
                + ", expectedNodes=" + expectedNodes + ", leaseAhead=" + leaseAhead + ", leaseTime=" + leaseTime
                + ", maxInFlight=" + maxInFlight + ", keysPerCommand=" + keysPerCommand + "]";
    }

    /** The mutable settings, so that the setters do not each repeat the list of fields. */
    private static final class Draft {

        private String keyPrefix = "weir";
        private Duration deadline = Duration.ofMillis(50);
        private WhenUnavailable whenUnavailable = WhenUnavailable.LOCAL;
        private int expectedNodes = 1;
        private int leaseAhead;
        private Duration leaseTime = Duration.ofSeconds(10);
        private int maxInFlight = 2048;
        private int keysPerCommand = 32;

        Draft() {}

        Draft(RedisOptions from) {
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
