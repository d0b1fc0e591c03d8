package dev.weir.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.resource.ClientResources;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;

/** Clients as a user would make them, on threads that can be told from all others. */
final class Clients {

    private static final String THREADS = "driver-";

    private Clients() {}

    static ClientResources resources() {
        return ClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .threadFactoryProvider(pool -> new DefaultThreadFactory(THREADS + pool, true))
                .build();
    }

    /** Tells whether that is the name of a thread of a client. */
    static boolean isThread(String name) {
        return name.startsWith(THREADS) || name.startsWith("lettuce-");
    }

    static RedisClient of(ClientResources resources, int port, int requestQueueSize) {
        RedisClient client = RedisClient.create(
                resources,
                RedisURI.builder()
                        .withHost("127.0.0.1")
                        .withPort(port)
                        .withTimeout(Duration.ofSeconds(20))
                        .build());
        client.setOptions(ClientOptions.builder()
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .requestQueueSize(requestQueueSize)
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(Duration.ofSeconds(1))
                        .build())
                .build());
        return client;
    }
}
