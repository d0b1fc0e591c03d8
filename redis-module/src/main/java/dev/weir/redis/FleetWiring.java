package dev.weir.redis;

import dev.weir.PartitionedRateLimiter;
import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.handle.Every;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.time.TimeSource;
import io.lettuce.core.api.StatefulConnection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** How one node of a fleet is put together: what its limiters share, the policy that each gets, and the order in which all is closed. */
final class FleetWiring {

    private static final long LIFE_NANOS = 100_000_000;
    private static final long SLACK_NANOS = 50_000_000;
    private static final long AHEAD_NANOS = 250_000_000;
    private static final long POLL_NANOS = 100_000_000;

    private final BoundedCommands commands;
    private final RedisOptions options;
    private final Keys keys;

    /** Closes the connection, if that was opened here. */
    private final @Nullable Runnable closing;

    private final NodeSettings settings;
    private final Node node;
    private final String nodeName = UUID.randomUUID().toString().substring(0, 13);
    private final AtomicLong holders = new AtomicLong();
    private final MadeLimiters limiters = new MadeLimiters();

    private final LatestOf<LimitWords> words;
    private final LatestOf<FleetTerms> terms;

    private FleetWiring(Commands commands, RedisOptions options, Node node, @Nullable Runnable closing) {
        Script.prepare();
        this.node = node;
        this.commands = new BoundedCommands(commands, options.maxInFlight(), TimeSource.system());
        this.options = options;
        this.settings = settings(options);
        this.words = new LatestOf<>(limit -> LimitWords.of(limit, options.leaseTime()));
        this.terms = new LatestOf<>(limit -> new FleetTerms(limit, settings));
        this.keys = new Keys(options.keyPrefix());
        this.closing = closing;
    }

    private static NodeSettings settings(RedisOptions options) {
        return new NodeSettings(
                options.deadline().toNanos(),
                LIFE_NANOS,
                SLACK_NANOS,
                AHEAD_NANOS,
                POLL_NANOS,
                options.leaseTime().toNanos() / NodeSettings.RENEWALS,
                options.leaseAhead(),
                options.whenUnavailable(),
                new Shares(options.expectedNodes()));
    }

    /** Uses a connection of its own, which is attempted now, and again later if that fails. */
    static <C extends StatefulConnection<String, String>> FleetWiring connecting(
            Callable<C> connecting, Function<C, Commands> commandsOf, RedisOptions options) {
        OutageLog log = OutageLog.ofSystem(options.whenUnavailable());
        LateConnection<C> connection = new LateConnection<>(connecting, commandsOf, log, TimeSource.system());
        connection.connect();
        return new FleetWiring(connection, options, new Node(log), connection::close);
    }

    /** Uses a connection that others close. */
    static FleetWiring over(Commands commands, RedisOptions options) {
        return over(commands, options, new Node(OutageLog.ofSystem(options.whenUnavailable())));
    }

    /** Uses any implementation that runs scripts, and what a node's limiters share. */
    static FleetWiring over(Commands commands, RedisOptions options, Node node) {
        return new FleetWiring(commands, options, node, null);
    }

    RateLimiter.Builder builder(String name, Limit limit) {
        limiters.checkOpen();
        String tag = Keys.tag(name);
        checkLimit(limit);
        return new FleetLimiterBuilder(
                        limit, (kept, key, time, order, now) -> policy(kept, tag, time, order, now), limiters::keep)
                .name(name);
    }

    PartitionedRateLimiter.Builder<String> partitionedBuilder(String name, Function<? super String, Limit> limitOf) {
        limiters.checkOpen();
        Keys.checkName(name);
        return new FleetPartitionsBuilder(
                        limitOf,
                        (limit, key, time, order, now) -> policy(limit, tag(name, key), time, order, now),
                        limiters::keep)
                .name(name);
    }

    /** Throws if there is no script for it. */
    void checkLimit(Limit limit) {
        Member.of(limit, options.leaseTime());
    }

    private static String tag(String name, @Nullable Object key) {
        return key == null ? Keys.overflowTag(name) : Keys.tag(name, (String) key);
    }

    private PermitPolicy policy(Limit limit, String tag, TimeSource time, QueueOrder order, long nowNanos) {
        FleetTerms known = terms.get(limit);
        if (known.parts().isEmpty()) {
            return limit.newPolicy(nowNanos);
        }
        Store store = new RedisStore(commands, keys, tag, holder(known), limit, words::get);
        return new FleetPolicy(known, store, node, time, order, nowNanos);
    }

    /** Returns the holder's name in the store: a limiter reports only its own permits, and others of its name may exist. */
    private String holder(FleetTerms of) {
        return of.returnsOnRelease() ? nodeName + "." + holders.incrementAndGet() : nodeName;
    }

    /** Closes the limiters, then gives back what the node holds, and then closes the connection; each even if what comes before throws. */
    void close() {
        limiters.takeNoMore();
        commands.unbind();
        node.hurry();
        Every.one(List.<Runnable>of(limiters::closeAll, node::leave, this::closeLast), Runnable::run);
    }

    private void closeLast() {
        commands.runLast(this::disconnect, options.deadline().toNanos());
    }

    private void disconnect() {
        if (closing != null) {
            node.disconnect();
            closing.run();
        }
    }
}
