package dev.weir.redis;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import redis.embedded.RedisServer;
import redis.embedded.core.RedisServerBuilder;

/** A Redis or Valkey of its own process, gone with whoever closes it and with this JVM. */
final class ServerProcess implements AutoCloseable {

    private final RedisServer server;
    private final int port;
    private long known;

    private ServerProcess(RedisServer server, int port) {
        this.server = server;
        this.port = port;
        EveryKeyExpires.watch(port);
    }

    static ServerProcess start() {
        return start(ServerProgram.OF_THE_JAR);
    }

    static ServerProcess start(ServerProgram program) {
        return start(program, freePort());
    }

    static ServerProcess start(ServerProgram program, int port) {
        try {
            RedisServerBuilder builder = RedisServer.newRedisServer()
                    .port(port)
                    .setting("bind 127.0.0.1")
                    .setting("save \"\"")
                    .setting("appendonly no");
            if (!program.path().isEmpty()) {
                builder.executableProvider(() -> Path.of(program.path()).toFile());
            }
            RedisServer server = builder.build();
            server.start();
            return new ServerProcess(server, port);
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

    /** Has the process stand still. */
    void pause() throws Exception {
        long pid = pid();
        EveryKeyExpires.check(port);
        EveryKeyExpires.forget(port);
        signal("STOP", pid);
    }

    /** Has it go on. */
    void goOn() throws Exception {
        signal("CONT", pid());
        EveryKeyExpires.watch(port);
    }

    private static void signal(String name, long pid) throws Exception {
        int exit = new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                .start()
                .waitFor();
        if (exit != 0) {
            throw new AssertionError("kill -" + name + " " + pid + " ended with " + exit);
        }
    }

    private long pid() {
        if (known == 0) {
            try (ScriptHost host = new ScriptHost("127.0.0.1", port)) {
                known = host.jedis()
                        .info("server")
                        .lines()
                        .filter(line -> line.startsWith("process_id:"))
                        .mapToLong(line -> Long.parseLong(
                                line.substring("process_id:".length()).strip()))
                        .findFirst()
                        .orElseThrow();
            }
        }
        return known;
    }

    /** Ends the process, unless a key in it would have stayed for ever. */
    @Override
    public void close() {
        try {
            if (EveryKeyExpires.forget(port)) {
                EveryKeyExpires.check(port);
            }
        } finally {
            stop();
        }
    }

    private void stop() {
        try {
            server.stop();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
