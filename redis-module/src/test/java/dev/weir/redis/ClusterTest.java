package dev.weir.redis;

import static dev.weir.redis.ServerDecisions.checkIsUsedUp;
import static dev.weir.redis.ServerDecisions.checkTakes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Lease;
import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.embedded.RedisShardedCluster;
import redis.embedded.core.RedisServerBuilder;

/** Three nodes with a third of the slots each. */
class ClusterTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private static RedisShardedCluster cluster;
    private static RedisClusterClient client;

    @BeforeAll
    static void start() throws IOException {
        List<Integer> ports = IntStream.generate(ServerProcess::freePort)
                .filter(port -> port < 55_000) // nodes talk to each other on ports 10,000 higher
                .limit(3)
                .boxed()
                .toList();
        cluster = RedisShardedCluster.newRedisCluster()
                .withServerBuilder(
                        new RedisServerBuilder().setting("bind 127.0.0.1").setting("save \"\""))
                .serverPorts(ports)
                .shard("first", 0)
                .shard("second", 0)
                .shard("third", 0)
                .build();
        cluster.start();
        cluster.ports().forEach(EveryKeyExpires::watch);
        cluster.ports().forEach(ClusterTest::awaitWhole);
        client = RedisClusterClient.create(
                RedisURI.create("127.0.0.1", cluster.ports().get(0)));
    }

    /** Nodes are started before they have heard of each other. */
    private static void awaitWhole(int port) {
        RedisClient node = RedisClient.create(RedisURI.create("127.0.0.1", port));
        try (StatefulRedisConnection<String, String> connection = node.connect()) {
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                String info = connection.sync().clusterInfo();
                return info.contains("cluster_state:ok")
                        && info.contains("cluster_known_nodes:3")
                        && info.contains("cluster_slots_ok:16384");
            });
        } finally {
            node.shutdown();
        }
    }

    @AfterAll
    static void stop() throws IOException {
        client.shutdown();
        cluster.ports().forEach(EveryKeyExpires::check);
        cluster.ports().forEach(EveryKeyExpires::forget);
        cluster.stop();
    }

    private static RedisRateLimiters fleet() {
        return RedisRateLimiters.connect(client, RedisOptions.defaults().deadline(Duration.ofSeconds(5)));
    }

    @Test
    @DisplayName("keys on all nodes, several keys of one limit on the same, and two fleets share them")
    void limitsWork() {
        Limit both = Limit.allOf(Limit.of(3, HOUR), Limit.tokenBucket(4, 4, HOUR));
        try (RedisRateLimiters one = fleet();
                RedisRateLimiters two = fleet();
                PartitionedRateLimiter<String> first = one.partitioned("users", both);
                PartitionedRateLimiter<String> second = two.partitioned("users", both)) {
            for (int user = 0; user < 30; user++) {
                checkTakes(first.forKey("user " + user), 2);
                checkTakes(second.forKey("user " + user), 1);
                checkIsUsedUp(first.forKey("user " + user));
            }
        }
    }

    @Test
    @DisplayName("a user who may do what is needed on one server, and ask who has which slots, is enough")
    void permissions() {
        String[] rules = Stream.concat(
                        Stream.of("reset", "on", ">secret", "~weir:*", "+cluster|nodes"),
                        PermissionsTest.COMMANDS.stream().map(command -> "+" + command))
                .toArray(String[]::new);
        for (int port : cluster.ports()) {
            try (Jedis jedis = new Jedis("127.0.0.1", port)) {
                jedis.aclSetUser("limiter", rules);
            }
        }
        RedisClusterClient limited = RedisClusterClient.create(RedisURI.builder()
                .withHost("127.0.0.1")
                .withPort(cluster.ports().get(0))
                .withAuthentication("limiter", "secret".toCharArray())
                .build());
        RedisOptions options = RedisOptions.defaults().deadline(Duration.ofSeconds(5));
        try (RedisRateLimiters fleet = RedisRateLimiters.connect(limited, options)) {
            PartitionedRateLimiter<String> users = fleet.partitioned("limited", Limit.of(3, HOUR));
            for (int user = 0; user < 30; user++) {
                checkTakes(users.forKey("user " + user), 2);
            }
        } finally {
            limited.shutdown();
        }
    }

    @Test
    @DisplayName(
            "a client for one server keeps what belongs to the node that it knows, though that takes no keys of several slots")
    void aClientForOneServer() {
        List<String> users;
        try (StatefulRedisClusterConnection<String, String> connection = client.connect()) {
            RedisClusterNode first = connection.getPartitions().getPartitionBySlot(0);
            users = IntStream.range(0, 300)
                    .mapToObj(user -> "user" + user)
                    .filter(user -> first.hasSlot(SlotHash.getSlot("{plain:" + user + "}")))
                    .toList();
            assertThat(users).hasSizeGreaterThan(50);
            RedisClient ofOne = RedisClient.create(first.getUri());
            try (RedisRateLimiters fleet = RedisRateLimiters.connect(
                            ofOne, RedisOptions.defaults().deadline(Duration.ofSeconds(5)));
                    PartitionedRateLimiter<String> limiters = fleet.partitioned("plain", Limit.of(3, HOUR))) {
                List<CompletableFuture<Lease>> asked =
                        users.stream().map(user -> limiters.acquire(user, 2)).toList();
                assertThat(asked.stream().map(CompletableFuture::join))
                        .allMatch(Lease::isAcquired)
                        .allMatch(lease -> lease.source() == DecisionSource.REMOTE);
            } finally {
                ofOne.shutdown();
            }
        }
    }

    @Test
    @DisplayName(
            "which server keeps a key is known without asking, so that one that is gone does not count against the others")
    void serversAreToldApart() {
        try (StatefulRedisClusterConnection<String, String> connection = client.connect()) {
            Commands commands =
                    new BoundedCommands(new LettuceCommands(Wires.over(connection)), 1, TimeSource.system());
            List<String> servers = IntStream.range(0, 300)
                    .mapToObj(user -> commands.serverOf("weir:v1:{user" + user + "}:log"))
                    .distinct()
                    .toList();
            assertThat(servers)
                    .containsExactlyInAnyOrderElementsOf(connection.getPartitions().stream()
                            .map(RedisClusterNode::getNodeId)
                            .toList());
        }
    }

    @Test
    @DisplayName("a slot that moves to another node takes its limit along")
    void aSlotMoves() {
        try (RedisRateLimiters fleet = fleet();
                RateLimiter limiter = fleet.limiter("moving", Limit.of(3, HOUR));
                StatefulRedisClusterConnection<String, String> connection = client.connect()) {
            checkTakes(limiter, 2);
            move(connection, SlotHash.getSlot("{moving}"));
            checkTakes(limiter, 1);
            checkIsUsedUp(limiter);
        }
    }

    @Test
    @DisplayName("a request finds the limit wherever its key is while a slot moves")
    void asksWhileASlotMoves() {
        try (RedisRateLimiters fleet = fleet();
                RateLimiter limiter = fleet.limiter("on its way", Limit.of(5, HOUR));
                StatefulRedisClusterConnection<String, String> connection = client.connect()) {
            Move move = new Move(connection, SlotHash.getSlot("{on its way}"));
            checkTakes(limiter, 1);
            move.begin();
            checkTakes(limiter, 1);
            move.keys().forEach(move::take);
            checkTakes(limiter, 1);
            checkTakes(limiter, 1);
            move.end();
            checkTakes(limiter, 1);
            checkIsUsedUp(limiter);
        }
    }

    @Test
    @DisplayName(
            "while only some keys of a limit have moved the store cannot answer, which is an outage of that limit and no other")
    void keysOfOneLimitAreOnBothNodes() {
        RedisOptions options =
                RedisOptions.defaults().deadline(Duration.ofSeconds(5)).whenUnavailable(WhenUnavailable.REFUSE);
        try (RedisRateLimiters fleet = RedisRateLimiters.connect(client, options);
                RateLimiter limiter =
                        fleet.limiter("both", Limit.allOf(Limit.of(5, HOUR), Limit.tokenBucket(5, 5, HOUR)));
                RateLimiter other = fleet.limiter("other", Limit.of(5, HOUR));
                StatefulRedisClusterConnection<String, String> connection = client.connect()) {
            Move move = new Move(connection, SlotHash.getSlot("{both}"));
            checkTakes(limiter, 1);
            move.begin();
            checkTakes(limiter, 1);
            List<String> keys = move.keys();
            assertThat(keys).hasSize(2);
            move.take(keys.get(0));
            Lease between = limiter.acquire().join();
            assertThat(between.isAcquired()).isFalse();
            assertThat(between.reason()).hasValue(RefusalReason.BACKEND_UNAVAILABLE);
            checkTakes(other, 1);
            move.take(keys.get(1));
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> limiter.acquire().join().isAcquired());
            move.end();
            checkTakes(limiter, 1);
            checkTakes(limiter, 1);
            checkIsUsedUp(limiter);
        }
    }

    @Test
    @DisplayName("a charge while the node of a key was out of reach is reported later")
    void chargedOutOfReach() {
        RedisClusterClient own = RedisClusterClient.create(
                RedisURI.create("127.0.0.1", cluster.ports().get(0)));
        RedisOptions options =
                RedisOptions.defaults().deadline(Duration.ofSeconds(5)).whenUnavailable(WhenUnavailable.REFUSE);
        try (RedisRateLimiters fleet = RedisRateLimiters.connect(own, options);
                RateLimiter limiter = fleet.limiter("out of reach", Limit.of(3, HOUR))) {
            RedisClusterNode keeper = own.getPartitions().getPartitionBySlot(SlotHash.getSlot("{out of reach}"));
            RedisURI there = keeper.getUri();
            keeper.setUri(RedisURI.create("127.0.0.1", ServerProcess.freePort()));
            limiter.charge(2);
            Lease refused = limiter.acquire().join();
            assertThat(refused.isAcquired()).isFalse();
            assertThat(refused.cause()).containsInstanceOf(RedisConnectionException.class);
            keeper.setUri(there);
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> limiter.acquire().join().isAcquired());
            checkIsUsedUp(limiter);
        } finally {
            own.shutdown();
        }
    }

    private static void move(StatefulRedisClusterConnection<String, String> connection, int slot) {
        Move move = new Move(connection, slot);
        move.begin();
        move.keys().forEach(move::take);
        move.end();
    }

    /** A slot on its way from one node to another, one key after the other. */
    private static final class Move {

        private final int slot;
        private final RedisClusterNode from;
        private final RedisClusterNode to;
        private final RedisClusterCommands<String, String> source;
        private final RedisClusterCommands<String, String> target;

        Move(StatefulRedisClusterConnection<String, String> connection, int slot) {
            this.slot = slot;
            this.from = connection.getPartitions().getPartitionBySlot(slot);
            this.to = connection.getPartitions().stream()
                    .filter(node -> !node.getNodeId().equals(from.getNodeId()))
                    .findFirst()
                    .orElseThrow();
            this.source = connection.getConnection(from.getNodeId()).sync();
            this.target = connection.getConnection(to.getNodeId()).sync();
        }

        void begin() {
            target.clusterSetSlotImporting(slot, from.getNodeId());
            source.clusterSetSlotMigrating(slot, to.getNodeId());
        }

        List<String> keys() {
            return source.clusterGetKeysInSlot(slot, 100);
        }

        void take(String key) {
            source.migrate(to.getUri().getHost(), to.getUri().getPort(), key, 0, 5_000);
        }

        void end() {
            target.clusterSetSlotNode(slot, to.getNodeId());
            source.clusterSetSlotNode(slot, to.getNodeId());
        }
    }
}
