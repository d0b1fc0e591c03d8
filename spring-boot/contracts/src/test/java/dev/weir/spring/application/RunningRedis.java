package dev.weir.spring.application;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.util.List;
import redis.embedded.RedisServer;

/** A Redis of its own process, and a connection to look into it. */
final class RunningRedis implements AutoCloseable {

    private final RedisServer server;
    private final int port;
    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;

    private RunningRedis(RedisServer server, int port) {
        this.server = server;
        this.port = port;
        this.client = RedisClient.create(RedisURI.create("127.0.0.1", port));
        this.connection = client.connect();
    }

    static RunningRedis start() {
        int port = freePort();
        try {
            RedisServer server = RedisServer.newRedisServer()
                    .port(port)
                    .setting("bind 127.0.0.1")
                    .setting("save \"\"")
                    .setting("appendonly no")
                    .build();
            server.start();
            return new RunningRedis(server, port);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return port;
    }

    List<String> keys() {
        return commands().eval("return redis.call('KEYS', '*')", ScriptOutputType.MULTI);
    }

    /** How many are connected, not counting this one. */
    long connections() {
        return commands().clientList().lines().count() - 1;
    }

    private RedisCommands<String, String> commands() {
        return connection.sync();
    }

    @Override
    public void close() {
        client.shutdown();
        try {
            server.stop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
