package dev.weir.redis;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Tests on one server of their own, which runs scripts at the times that they say. */
abstract class OnAServer {

    static ScriptHost host;

    private static ServerProcess redis;

    @BeforeAll
    static void startServer() {
        redis = ServerProcess.start();
        host = new ScriptHost("127.0.0.1", redis.port());
    }

    @AfterAll
    static void stopServer() {
        host.close();
        redis.close();
    }
}
