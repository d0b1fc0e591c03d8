package dev.weir.redis;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.limit.Unlimited;
import dev.weir.time.TimeSource;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.StringCodec;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Limiters whose limits all nodes of a fleet keep together, in Redis or Valkey, 6.2 or newer, single or clustered. Limiters of the
 * same name and prefix are one limit, wherever they are made.
 *
 * <pre>{@code
 * RedisRateLimiters fleet = RedisRateLimiters.connect(redisClient, RedisOptions.defaults().expectedNodes(4));
 * RateLimiter shared = fleet.limiter("search-api", Limit.of(100, ofSeconds(1)));
 * PartitionedRateLimiter<String> perUser = fleet.partitioned("per-user", Limit.of(10, ofSeconds(1)));
 * }</pre>
 *
 * <p>They are {@linkplain RateLimiter limiters} like any other. What is particular:
 *
 * <ul>
 *   <li>{@code tryAcquire} never waits, so it answers by what this node has in hand and knows. Where it has nothing, it is refused and
 *       the permits are fetched meanwhile: who comes back within 100 milliseconds of the answer finds them. Its {@code retryAfter}
 *       says when the answer is there at the latest; after a refusal by Redis it says when the permits are, which are then fetched.
 *       Who can wait a little asks with {@code acquire}, and gets them as soon as Redis has answered.
 *   <li>Who waits is in the queue of this node, and the first of each queue in that of Redis: first come, first served there. Of a
 *       limit of concurrency nobody is told when leases end on other nodes; those who have waited there for a second go first.
 *   <li>What this node knows without asking is from the latest answer: {@code availablePermits} asks for a newer one meanwhile.
 *   <li>{@code lease.source()} says whether Redis has decided, or this node on its own as Redis did not answer in time.
 * </ul>
 *
 * <p>Answers are told on threads of the time source, never on those of the connection. All methods but {@code connect} return without
 * waiting for Redis.
 *
 * <p>What was made here, and is still in use, is closed with this. Limits that come and go are best kept as keys of one {@code partitioned}
 * limiter, which forgets those that are as good as new.
 */
public final class RedisRateLimiters implements AutoCloseable {

    private static final long LIFE_NANOS = 100_000_000;
    private static final long SLACK_NANOS = 50_000_000;
    private static final long AHEAD_NANOS = 250_000_000;
    private static final long POLL_NANOS = 100_000_000;
    private static final int RENEWALS = 3;

    private final BoundedCommands commands;
    private final RedisOptions options;
    private final Keys keys;
    private final Runnable closing;
    private final Manners manners;
    private final Node node = new Node();
    private final String nodeName = UUID.randomUUID().toString().substring(0, 13);
    private final AtomicLong holders = new AtomicLong();
    private final Set<Reference<AutoCloseable>> made = ConcurrentHashMap.newKeySet();
    private final ReferenceQueue<AutoCloseable> unused = new ReferenceQueue<>();
    private volatile boolean closed;

    /** Of the limit that was made for last, as the keys of a partition mostly have the same. Racy, benign: made again if it is another. */
    private volatile @Nullable LimitWords latestWords;

    private RedisRateLimiters(Commands commands, RedisOptions options, Runnable closing) {
        Script.prepare();
        this.commands = new BoundedCommands(commands, options.maxInFlight(), TimeSource.system());
        this.options = options;
        this.manners = manners(options);
        this.keys = new Keys(options.keyPrefix());
        this.closing = closing;
    }

    /**
     * Connects to a server. Waits for the connection as long as the client does; if there is none to be had, returns all the same, and
     * tries again in the background: until then limiters do what {@link RedisOptions#whenUnavailable} says.
     *
     * @param client by whose settings to connect; stays the caller's. Let it reject commands while disconnected
     *     ({@code DisconnectedBehavior.REJECT_COMMANDS}), and give up calls after a few seconds ({@code setDefaultTimeout}): what waits in
     *     it longer than the deadline has been given up here
     * @param options how limits are kept
     * @return limiters on a connection of their own
     */
    public static RedisRateLimiters connect(RedisClient client, RedisOptions options) {
        Objects.requireNonNull(client, "client");
        return connected(
                () -> client.connect(StringCodec.UTF8),
                connection -> LettuceCommands.over(Wires.over(connection, options.keysPerCommand())),
                Objects.requireNonNull(options, "options"));
    }

    /**
     * Connects to a cluster, as {@link #connect(RedisClient, RedisOptions)} does to a server.
     *
     * @param client by whose settings to connect; stays the caller's
     * @param options how limits are kept
     * @return limiters on a connection of their own
     */
    public static RedisRateLimiters connect(RedisClusterClient client, RedisOptions options) {
        Objects.requireNonNull(client, "client");
        return connected(
                () -> client.connect(StringCodec.UTF8),
                connection -> LettuceCommands.over(Wires.over(connection)),
                Objects.requireNonNull(options, "options"));
    }

    private static <C extends StatefulConnection<String, String>> RedisRateLimiters connected(
            Callable<C> connecting, Function<C, Commands> commandsOf, RedisOptions options) {
        LateConnection<C> connection = new LateConnection<>(connecting, commandsOf);
        connection.connect();
        return new RedisRateLimiters(connection, options, connection::close);
    }

    /**
     * Uses an existing connection.
     *
     * @param connection stays the caller's; may be used for other things too
     * @param options how limits are kept
     * @return limiters on that connection
     */
    public static RedisRateLimiters connect(StatefulRedisConnection<String, String> connection, RedisOptions options) {
        Objects.requireNonNull(connection, "connection");
        Objects.requireNonNull(options, "options");
        return new RedisRateLimiters(
                LettuceCommands.over(Wires.over(connection, options.keysPerCommand())), options, () -> {});
    }

    /**
     * Uses a connection to a cluster that is there already.
     *
     * @param connection stays the caller's; may be used for other things too
     * @param options how limits are kept
     * @return limiters on that connection
     */
    public static RedisRateLimiters connect(
            StatefulRedisClusterConnection<String, String> connection, RedisOptions options) {
        Objects.requireNonNull(connection, "connection");
        Objects.requireNonNull(options, "options");
        return new RedisRateLimiters(LettuceCommands.over(Wires.over(connection)), options, () -> {});
    }

    /** Uses whatever runs scripts. */
    static RedisRateLimiters on(Commands commands, RedisOptions options) {
        return new RedisRateLimiters(commands, options, () -> {});
    }

    /**
     * Returns a limiter.
     *
     * @param name by which all nodes mean the same limit
     * @param limit what to keep: any of the limits of {@link Limit}, also as parts of {@link Limit#allOf}
     * @return a new limiter
     * @throws IllegalArgumentException for a limit of another kind, and for an empty name
     */
    public RateLimiter limiter(String name, Limit limit) {
        return builder(name, limit).build();
    }

    /**
     * Starts a limiter with other than the usual settings.
     *
     * @param name by which all nodes mean the same limit
     * @param limit what to keep
     * @return a builder; a name that is set there is only what errors and meters show
     * @throws IllegalArgumentException for a limit of another kind, and for an empty name
     */
    public RateLimiter.Builder builder(String name, Limit limit) {
        checkOpen();
        String tag = Keys.tag(Objects.requireNonNull(name, "name"));
        Member.of(Objects.requireNonNull(limit, "limit"), options.leaseTime());
        return new FleetLimiterBuilder(limit, (kept, time, now) -> policy(kept, tag, time, now), this::keep).name(name);
    }

    /**
     * Returns limiters that keep the same limit for every key, each on its own.
     *
     * @param name by which all nodes mean the same limits
     * @param limit what to keep for each key
     * @return a new partitioned limiter
     * @throws IllegalArgumentException for a limit of another kind, and for an empty name
     */
    public PartitionedRateLimiter<String> partitioned(String name, Limit limit) {
        Member.of(Objects.requireNonNull(limit, "limit"), options.leaseTime());
        return partitioned(name, key -> limit).build();
    }

    /**
     * Starts limiters for many keys with other than the usual settings.
     *
     * @param name by which all nodes mean the same limits
     * @param limitOf what to keep for each key
     * @return a builder
     * @throws IllegalArgumentException for an empty name
     */
    public PartitionedRateLimiter.Builder<String> partitioned(String name, Function<? super String, Limit> limitOf) {
        checkOpen();
        Keys.tag(Objects.requireNonNull(name, "name"));
        Objects.requireNonNull(limitOf, "limitOf");
        return new FleetPartitionsBuilder(
                        limitOf, (limit, key, time, now) -> policy(limit, tag(name, key), time, now), this::keep)
                .name(name);
    }

    private static String tag(String name, @Nullable Object key) {
        return key == null ? Keys.overflowTag(name) : Keys.tag(name, (String) key);
    }

    private PermitPolicy policy(Limit limit, String tag, TimeSource time, long nowNanos) {
        return limit instanceof Unlimited
                ? limit.newPolicy(nowNanos)
                : new FleetPolicy(
                        limit,
                        new RedisStore(commands, keys, tag, holder(limit), limit, this::words),
                        node,
                        time,
                        manners,
                        nowNanos);
    }

    /** Who holds what is held of a limit: each limiter says how many those are of its own alone, and may have others of its name beside it. */
    private String holder(Limit limit) {
        return Rates.returnsOnRelease(limit) ? nodeName + "." + holders.incrementAndGet() : nodeName;
    }

    private LimitWords words(Limit limit) {
        LimitWords known = latestWords;
        if (known == null || !known.areFor(limit)) {
            known = LimitWords.of(limit, options.leaseTime());
            latestWords = known;
        }
        return known;
    }

    private static Manners manners(RedisOptions options) {
        return new Manners(
                options.deadline().toNanos(),
                LIFE_NANOS,
                Long.MAX_VALUE,
                SLACK_NANOS,
                AHEAD_NANOS,
                POLL_NANOS,
                options.leaseTime().toNanos() / RENEWALS,
                options.leaseAhead(),
                options.whenUnavailable(),
                new Shares(options.expectedNodes()));
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("these limiters are closed");
        }
    }

    /**
     * Closes with the others what was just made, or at once if it comes too late. What nobody uses any more is not kept for that: who waits
     * keeps a limiter in use, and what has to go back in the end is known to the node.
     */
    private void keep(AutoCloseable limiter) {
        for (Reference<?> gone = unused.poll(); gone != null; gone = unused.poll()) {
            made.remove(gone);
        }
        made.add(new WeakReference<>(limiter, unused));
        if (closed) {
            close(limiter);
            checkOpen();
        }
    }

    /**
     * Closes all limiters that were made here, and then the connection if it was opened here. What the limiters
     * hold of limits of concurrency, in use or not, have leased ahead, and have booked, is given back on the way, as far as it still
     * reaches Redis:
     * the connection is closed when all that is under way has been answered, or after the {@linkplain RedisOptions#deadline deadline}.
     * Builders that were made before make no more limiters: they throw {@link IllegalStateException}.
     */
    @Override
    public void close() {
        closed = true;
        made.forEach(limiter -> close(limiter.get()));
        made.clear();
        node.leave();
        commands.runLast(closing, options.deadline().toNanos());
    }

    private static void close(@Nullable AutoCloseable limiter) {
        if (limiter instanceof RateLimiter one) {
            one.close();
        } else if (limiter instanceof PartitionedRateLimiter<?> many) {
            many.close();
        }
    }
}
