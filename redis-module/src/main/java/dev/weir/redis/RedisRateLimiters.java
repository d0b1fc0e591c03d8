package dev.weir.redis;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.StringCodec;
import java.util.Objects;
import java.util.function.Function;

/**
 * Creates limiters whose limits are shared by all nodes of a fleet, in Redis or Valkey, 6.2 or newer, single or clustered. Limiters
 * with the same name and prefix share one limit, wherever they are created; but nothing else: make one for each name on each node.
 *
 * <pre>{@code
 * RedisRateLimiters fleet = RedisRateLimiters.connect(redisClient, RedisOptions.defaults().expectedNodes(4));
 * RateLimiter shared = fleet.limiter("search-api", Limit.of(100, ofSeconds(1)));
 * PartitionedRateLimiter<String> perUser = fleet.partitioned("per-user", Limit.of(10, ofSeconds(1)));
 * }</pre>
 *
 * <p>They are {@linkplain RateLimiter limiters} like any other, with these differences:
 *
 * <ul>
 *   <li>{@code tryAcquire} and {@code tryConsume} never wait: they decide from the permits this node already holds and from the
 *       latest answer of Redis. If the node holds none, the request is refused and permits are fetched in the background: a retry
 *       within 100 milliseconds of the answer finds them, but a caller that comes seldom is refused again and again. {@code
 *       retryAfter} is when that answer arrives at the latest; after a refusal by Redis it is when the permits become available,
 *       and a retry then fetches them. A caller that can wait for Redis uses {@code acquire} instead, and gets its permits as soon
 *       as Redis has answered; with a bound of zero it waits for nothing else, and at most twice the deadline.
 *   <li>Waiting requests are queued on this node. Of an oldest-first queue the first, with those behind it that are due within 250
 *       milliseconds, is booked in Redis, which serves nodes in the order in which they reach it: of a window the first may take all
 *       that is due at one instant. With a concurrency limit, no node is notified when leases end on another; requests that have
 *       waited in Redis for a second go first.
 *   <li>What can be read without asking is from the latest answer: {@code availablePermits} requests a newer one in the background.
 *   <li>{@code lease.source()} says whether Redis decided, or this node on its own because Redis did not answer in time.
 * </ul>
 *
 * <p>Answers that are known at once are told on the calling thread, all others on threads of the time source, or of the common
 * pool if that takes no more tasks; never on those of the connection. All methods but {@code connect} return without waiting for Redis.
 *
 * <p>Closing this closes all limiters created here that are still in use. Limits that come and go are best kept as keys of one
 * {@code partitioned} limiter, which forgets keys that are as good as new.
 */
public final class RedisRateLimiters implements AutoCloseable {

    private final FleetWiring wiring;

    RedisRateLimiters(FleetWiring wiring) {
        this.wiring = wiring;
    }

    /**
     * Connects to a server. Blocks for as long as the client takes to connect. If the connection fails, returns all the same and
     * retries in the background: until then limiters do what {@link RedisOptions#whenUnavailable} says, and a warning with the
     * reason is logged once a minute.
     *
     * @param client whose settings to connect with; not closed here. Let it reject commands while disconnected (
     *     {@code DisconnectedBehavior.REJECT_COMMANDS}), and time out calls after a few seconds ({@code TimeoutOptions}): a call
     *     that waits in the client for longer than the deadline has been given up here already. A host that dies without closing
     *     its connections is noticed after some 15 minutes, unless the client has a {@code tcpUserTimeout} ({@code SocketOptions})
     * @param options how limits are kept
     * @return limiters on a connection of their own
     */
    public static RedisRateLimiters connect(RedisClient client, RedisOptions options) {
        Objects.requireNonNull(client, "client");
        Objects.requireNonNull(options, "options");
        return new RedisRateLimiters(FleetWiring.connecting(
                () -> client.connect(StringCodec.UTF8),
                connection -> new LettuceCommands(Wires.over(connection, options.keysPerCommand())),
                options));
    }

    /**
     * Connects to a cluster, as {@link #connect(RedisClient, RedisOptions)} does to a server.
     *
     * @param client whose settings to connect with; not closed here
     * @param options how limits are kept
     * @return limiters on a connection of their own
     */
    public static RedisRateLimiters connect(RedisClusterClient client, RedisOptions options) {
        Objects.requireNonNull(client, "client");
        Objects.requireNonNull(options, "options");
        return new RedisRateLimiters(FleetWiring.connecting(
                () -> client.connect(StringCodec.UTF8),
                connection -> new LettuceCommands(Wires.over(connection)),
                options));
    }

    /**
     * Uses an existing connection.
     *
     * @param connection not closed here; may be used for other things too, but not for what holds up the commands behind it: to the
     *     limiters a transaction ({@code MULTI}), a command that blocks ({@code BLPOP}) and {@code setAutoFlushCommands(false)} are
     *     an outage until they end, and scripts sent meanwhile may run inside the transaction
     * @param options how limits are kept
     * @return limiters on that connection
     */
    public static RedisRateLimiters connect(StatefulRedisConnection<String, String> connection, RedisOptions options) {
        Objects.requireNonNull(connection, "connection");
        Objects.requireNonNull(options, "options");
        return over(new LettuceCommands(Wires.over(connection, options.keysPerCommand())), options);
    }

    /**
     * Uses an existing connection to a cluster.
     *
     * @param connection not closed here; may be used for other things too, but not for what holds up the commands behind it: to the
     *     limiters a command that blocks ({@code BLPOP}), a transaction on a node and {@code setAutoFlushCommands(false)} are an
     *     outage until they end
     * @param options how limits are kept
     * @return limiters on that connection
     */
    public static RedisRateLimiters connect(
            StatefulRedisClusterConnection<String, String> connection, RedisOptions options) {
        Objects.requireNonNull(connection, "connection");
        Objects.requireNonNull(options, "options");
        return over(new LettuceCommands(Wires.over(connection)), options);
    }

    private static RedisRateLimiters over(Commands commands, RedisOptions options) {
        return new RedisRateLimiters(FleetWiring.over(commands, options));
    }

    /**
     * Creates a limiter with the default settings. Make one for each name and keep it: each call makes another, with a queue of its
     * own, nothing in hand (so its {@code tryAcquire} is refused at first), and in an outage a share of its own.
     *
     * @param name identifies the limit on all nodes
     * @param limit the limit to enforce: any of the limits of {@link Limit}, also as parts of {@link Limit#allOf}
     * @return a new limiter
     * @throws IllegalArgumentException if the limit is of another kind, or a bucket whose permits take more than 2^51 microseconds
     *     (71 years) to come back, or the name is empty
     * @throws IllegalStateException if this is closed
     */
    public RateLimiter limiter(String name, Limit limit) {
        return builder(name, limit).build();
    }

    /**
     * Returns a builder for a limiter with other than the default settings.
     *
     * @param name identifies the limit on all nodes
     * @param limit the limit to enforce
     * @return a builder; a name set there is only used in errors and meters
     * @throws IllegalArgumentException if the limit is of another kind, or a bucket whose permits take more than 2^51 microseconds
     *     (71 years) to come back, or the name is empty
     * @throws IllegalStateException if this is closed
     */
    public RateLimiter.Builder builder(String name, Limit limit) {
        return wiring.builder(Objects.requireNonNull(name, "name"), Objects.requireNonNull(limit, "limit"));
    }

    /**
     * Creates a partitioned limiter that enforces the same limit for every key separately. Make one for each name and keep it, as
     * with {@link #limiter}.
     *
     * @param name identifies the limits on all nodes
     * @param limit the limit to enforce for each key
     * @return a new partitioned limiter
     * @throws IllegalArgumentException if the limit is of another kind, or a bucket whose permits take more than 2^51 microseconds
     *     (71 years) to come back, or the name is empty
     * @throws IllegalStateException if this is closed
     */
    public PartitionedRateLimiter<String> partitioned(String name, Limit limit) {
        wiring.checkLimit(Objects.requireNonNull(limit, "limit"));
        return partitionedBuilder(name, key -> limit).build();
    }

    /**
     * Returns a builder for a partitioned limiter with other than the default settings, or whose limit depends on the key.
     *
     * @param name identifies the limits on all nodes
     * @param limitOf returns the limit to enforce for a key; if that is one that {@link #limiter} would refuse, the calls that use
     *     the key throw the {@link IllegalArgumentException}
     * @return a builder; a name set there is only used in errors and meters
     * @throws IllegalArgumentException if the name is empty
     * @throws IllegalStateException if this is closed
     */
    public PartitionedRateLimiter.Builder<String> partitionedBuilder(
            String name, Function<? super String, Limit> limitOf) {
        return wiring.partitionedBuilder(
                Objects.requireNonNull(name, "name"), Objects.requireNonNull(limitOf, "limitOf"));
    }

    /**
     * Closes all limiters created here, and then the connection if it was opened here. Permits of concurrency limits that the
     * limiters hold, in use or not, permits leased ahead and bookings are given back, as far as that still reaches Redis: the
     * connection is closed when all calls in flight have been answered, or after the {@linkplain RedisOptions#deadline deadline}.
     * These calls may be more than {@link RedisOptions#maxInFlight}, and wait for no pause after others that failed. If one of the
     * limiters throws, because its time source does, so does this, when the others and the connection are closed. Builders obtained
     * before create no more limiters: they throw {@link IllegalStateException}.
     */
    @Override
    public void close() {
        wiring.close();
    }
}
