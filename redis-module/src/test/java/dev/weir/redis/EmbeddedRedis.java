package dev.weir.redis;

import java.io.IOException;
import java.net.ServerSocket;
import redis.embedded.RedisServer;

/** A Redis of its own process, gone with whoever closes it and with this JVM. */
final class EmbeddedRedis implements AutoCloseable {

    private final RedisServer server;
    private final int port;
    private long known;

    private EmbeddedRedis(RedisServer server, int port) {
        this.server = server;
        this.port = port;
    }

    static EmbeddedRedis start() {
        return start(freePort());
    }

    static EmbeddedRedis start(int port) {
        try {
            RedisServer server = RedisServer.newRedisServer()
                    .port(port)
                    .setting("bind 127.0.0.1")
                    .setting("save \"\"")
                    .setting("appendonly no")
                    .build();
            server.start();
            return new EmbeddedRedis(server, port);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    int port() {
        return port;
    }

    /** Sends the process a signal, such as STOP. */
    void signal(String name) throws Exception {
        long pid;
        try (ScriptHost host = new ScriptHost("127.0.0.1", port)) {
            pid = known == 0 ? pidOf(host) : known;
        }
        known = pid;
        int exit = new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                .start()
                .waitFor();
        if (exit != 0) {
            throw new AssertionError("kill -" + name + " " + pid + " ended with " + exit);
        }
    }

    private static long pidOf(ScriptHost host) {
        return host.jedis()
                .info("server")
                .lines()
                .filter(line -> line.startsWith("process_id:"))
                .mapToLong(line ->
                        Long.parseLong(line.substring("process_id:".length()).strip()))
                .findFirst()
                .orElseThrow();
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
