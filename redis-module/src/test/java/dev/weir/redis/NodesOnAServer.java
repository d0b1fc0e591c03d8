package dev.weir.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;

/** Tests of several nodes and one server, in real time; each says on which server programs. */
@ParameterizedClass
abstract class NodesOnAServer {

    static RedisClient client;

    private static ServerProcess redis;

    @Parameter
    ServerProgram program;

    private final List<RedisRateLimiters> nodes = new ArrayList<>();

    @BeforeParameterizedClassInvocation
    static void start(ServerProgram program) {
        redis = ServerProcess.start(program);
        client = RedisClient.create(RedisURI.create("127.0.0.1", redis.port()));
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        client.shutdown();
        redis.close();
    }

    @AfterEach
    void closeNodes() {
        nodes.forEach(RedisRateLimiters::close);
    }

    RedisRateLimiters node(RedisOptions options) {
        RedisRateLimiters node = RedisRateLimiters.connect(client, options);
        nodes.add(node);
        return node;
    }
}
