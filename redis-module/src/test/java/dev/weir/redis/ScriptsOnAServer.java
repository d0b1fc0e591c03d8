package dev.weir.redis;

import dev.weir.limit.Limit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of the scripts themselves, on each server that there is, at times of their own. */
@ParameterizedClass
@MethodSource("dev.weir.redis.ServerProgram#present")
abstract class ScriptsOnAServer {

    static final long BEGIN = ScriptHost.BEGIN;

    private static ServerProcess redis;

    static ScriptHost host;

    @Parameter
    ServerProgram program;

    @BeforeParameterizedClassInvocation
    static void start(ServerProgram program) {
        redis = ServerProcess.start(program);
        host = new ScriptHost("127.0.0.1", redis.port());
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        host.close();
        redis.close();
    }

    @AfterEach
    void forgetAll() {
        host.flush();
    }

    static Answer ask(Limit limit, Question question, long atMicros) {
        return host.ask(limit, "test", question, "node", atMicros);
    }
}
