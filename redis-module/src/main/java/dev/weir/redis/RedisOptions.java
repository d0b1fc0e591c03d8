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

    private static final RedisOptions DEFAULTS = new RedisOptions(
            "weir", Duration.ofMillis(50), WhenUnavailable.LOCAL, 1, 0, Duration.ofSeconds(10), 2048, 32);

    /** As that of periods: about 73 years. */
    private static final Duration LONGEST = Duration.ofNanos((1L << 61) - 1);

    private final String keyPrefix;
    private final Duration deadline;
    private final WhenUnavailable whenUnavailable;
    private final int expectedNodes;
    private final int leaseAhead;
    private final Duration leaseTime;
    private final int maxInFlight;
    private final int keysPerCommand;

    private RedisOptions(
            String keyPrefix,
            Duration deadline,
            WhenUnavailable whenUnavailable,
            int expectedNodes,
            int leaseAhead,
            Duration leaseTime,
            int maxInFlight,
            int keysPerCommand) {
        this.keyPrefix = keyPrefix;
        this.deadline = deadline;
        this.whenUnavailable = whenUnavailable;
        this.expectedNodes = expectedNodes;
        this.leaseAhead = leaseAhead;
        this.leaseTime = leaseTime;
        this.maxInFlight = maxInFlight;
        this.keysPerCommand = keysPerCommand;
    }

    /**
     * Returns the usual options: keys begin with {@code weir}, an answer is waited for 50 ms, each node keeps its share while there is
     * none, this node is the only one, nothing is leased ahead, what a node that died held of a limit of concurrency is free after 10
     * seconds, no more than 2,048 calls are under way, and up to 32 keys go in one command.
     *
     * @return the options
     */
    public static RedisOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Sets what the names of all keys begin with.
     *
     * @param prefix without braces, which Redis Cluster reads; unless set, {@code weir}
     * @return changed options
     * @throws IllegalArgumentException if there are braces in it
     */
    public RedisOptions keyPrefix(String prefix) {
        if (Objects.requireNonNull(prefix, "prefix").contains("{") || prefix.contains("}")) {
            throw new IllegalArgumentException("keyPrefix must have no braces, but is " + prefix);
        }
        return new RedisOptions(
                prefix, deadline, whenUnavailable, expectedNodes, leaseAhead, leaseTime, maxInFlight, keysPerCommand);
    }

    /**
     * Sets how long an answer of Redis is waited for. A request that is not answered then is decided as if Redis were unavailable,
     * and whatever Redis may have taken for it counts as spent.
     *
     * @param longest positive, at most 73 years; unless set, 50 ms
     * @return changed options
     * @throws IllegalArgumentException if it is not positive, or longer
     */
    public RedisOptions deadline(Duration longest) {
        positive(longest, "deadline");
        return new RedisOptions(
                keyPrefix, longest, whenUnavailable, expectedNodes, leaseAhead, leaseTime, maxInFlight, keysPerCommand);
    }

    /**
     * Sets what becomes of requests while Redis does not answer.
     *
     * @param what unless set, {@link WhenUnavailable#LOCAL}
     * @return changed options
     */
    public RedisOptions whenUnavailable(WhenUnavailable what) {
        Objects.requireNonNull(what, "what");
        return new RedisOptions(
                keyPrefix, deadline, what, expectedNodes, leaseAhead, leaseTime, maxInFlight, keysPerCommand);
    }

    /**
     * Sets how many nodes share the limits: what {@link WhenUnavailable#LOCAL} divides them by. While it is 1, each node admits the
     * whole limit as long as Redis does not answer.
     *
     * @param nodes at least 1; unless set, 1
     * @return changed options
     * @throws IllegalArgumentException if there are fewer
     */
    public RedisOptions expectedNodes(int nodes) {
        positive(nodes, "expectedNodes");
        return new RedisOptions(
                keyPrefix, deadline, whenUnavailable, nodes, leaseAhead, leaseTime, maxInFlight, keysPerCommand);
    }

    /**
     * Lets each node take permits in advance, so many at once, and give them out without asking, for keys that are asked for very
     * often. They expect to be used within one period of their limit, and are lost if they are not. Of a limit of concurrency, alone or
     * among several, none are.
     *
     * <p>The price is that permits may be used up to a period after Redis has counted them. So an interval may see up to
     * {@code nodes * permits} more than the bound of its limit; the long-run rate stays the limit.
     *
     * @param permits how many, zero for none; unless set, none
     * @return changed options
     * @throws IllegalArgumentException if there are fewer than none
     */
    public RedisOptions leaseAhead(int permits) {
        if (permits < 0) {
            throw new IllegalArgumentException("leaseAhead must not be negative, but is " + permits);
        }
        return new RedisOptions(
                keyPrefix, deadline, whenUnavailable, expectedNodes, permits, leaseTime, maxInFlight, keysPerCommand);
    }

    /**
     * Sets how long what a node holds of a limit of concurrency is believed to be in use without hearing from that node. Nodes renew
     * what they hold three times as often.
     *
     * @param longest positive, at most 73 years; unless set, 10 s
     * @return changed options
     * @throws IllegalArgumentException if it is not positive, or longer
     */
    public RedisOptions leaseTime(Duration longest) {
        positive(longest, "leaseTime");
        return new RedisOptions(
                keyPrefix, deadline, whenUnavailable, expectedNodes, leaseAhead, longest, maxInFlight, keysPerCommand);
    }

    /**
     * Sets how many calls to Redis may be under way, of all limiters that are made together. One limiter, or one key, never has more
     * than one. So this bounds what the client holds while a server hangs and many keys are asked for; a request that would need
     * one more is decided at once, as if Redis were unavailable.
     *
     * <p>More than a server answers within the deadline are of no use.
     *
     * @param calls at least 1; unless set, 2,048
     * @return changed options
     * @throws IllegalArgumentException if there are fewer
     */
    public RedisOptions maxInFlight(int calls) {
        positive(calls, "maxInFlight");
        return new RedisOptions(
                keyPrefix, deadline, whenUnavailable, expectedNodes, leaseAhead, leaseTime, calls, keysPerCommand);
    }

    /**
     * Sets how many keys of one limit may go to a server in one command, where many are asked for at once. To a cluster they go one by
     * one, and so they do where the server does not take several.
     *
     * <p>Behind a proxy that spreads keys over servers and finds the server by the first key of a command it has to be 1: others would
     * be counted on a server that is not theirs.
     *
     * @param keys at least 1; unless set, 32
     * @return changed options
     * @throws IllegalArgumentException if there are fewer
     */
    public RedisOptions keysPerCommand(int keys) {
        positive(keys, "keysPerCommand");
        return new RedisOptions(
                keyPrefix, deadline, whenUnavailable, expectedNodes, leaseAhead, leaseTime, maxInFlight, keys);
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
}
