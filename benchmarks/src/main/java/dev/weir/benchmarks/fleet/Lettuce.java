package dev.weir.benchmarks.fleet;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;

/** The client of all who use Lettuce, with the same settings for each of them. */
final class Lettuce {

    private static final int MOST_PENDING = 100_000;

    private Lettuce() {}

    static RedisClient client(int port, int database) {
        RedisURI server = RedisURI.create("127.0.0.1", port);
        server.setDatabase(database);
        RedisClient client = RedisClient.create(server);
        client.setOptions(ClientOptions.builder()
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .requestQueueSize(MOST_PENDING)
                .build());
        return client;
    }
}
