package dev.weir.benchmarks.fleet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import redis.embedded.RedisServer;

/** A Redis of its own process, which nothing else uses. */
public final class LocalServer implements AutoCloseable {

    private final RedisServer server;
    private final int port;

    private LocalServer(RedisServer server, int port) {
        this.server = server;
        this.port = port;
    }

    public static LocalServer start() {
        try {
            int port = freePort();
            RedisServer server = RedisServer.newRedisServer()
                    .port(port)
                    .setting("bind 127.0.0.1")
                    .setting("save \"\"")
                    .setting("appendonly no")
                    .build();
            server.start();
            return new LocalServer(server, port);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    public int port() {
        return port;
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
