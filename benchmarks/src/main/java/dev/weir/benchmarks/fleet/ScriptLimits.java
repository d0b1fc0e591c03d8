package dev.weir.benchmarks.fleet;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A script that is asked by its name, once for each decision: one connection for each node. */
final class ScriptLimits implements SharedLimits {

    private final RedisClient client;
    private final List<RedisAsyncCommands<String, String>> nodes = new ArrayList<>();
    private final String sha;
    private final Function<String, String[]> keysOf;
    private final String[] arguments;
    private final Predicate<List<Object>> isGranted;

    private ScriptLimits(
            Site site,
            String script,
            Function<String, String[]> keysOf,
            String[] arguments,
            Predicate<List<Object>> isGranted) {
        this.client = Lettuce.client(site.port());
        for (int node = 0; node < site.nodes(); node++) {
            StatefulRedisConnection<String, String> connection = client.connect();
            nodes.add(connection.async());
        }
        this.sha = nodes.get(0).digest(script);
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            connection.sync().scriptLoad(script);
        }
        this.keysOf = keysOf;
        this.arguments = arguments;
        this.isGranted = isGranted;
    }

    /** The least that a decision at a server can cost: a script that does nothing. */
    static SharedLimits floor(Site site) {
        return new ScriptLimits(
                site, "return {1}", key -> new String[] {key}, new String[] {"1"}, reply -> !reply.isEmpty());
    }

    /**
     * The script of Spring Cloud Gateway, with the keys and arguments that its {@code RedisRateLimiter} passes. What takes several
     * seconds for all permits asks for as many tokens as seconds, as its documentation says for less than one request per second.
     */
    static SharedLimits gateway(Site site) {
        long seconds = site.period().toSeconds();
        return new ScriptLimits(
                site,
                GatewayScript.text(),
                key -> new String[] {
                    "request_rate_limiter.{" + key + "}.tokens", "request_rate_limiter.{" + key + "}.timestamp"
                },
                new String[] {
                    Integer.toString(site.permits()),
                    Long.toString(site.permits() * seconds),
                    "",
                    Long.toString(seconds)
                },
                reply -> Long.valueOf(1).equals(reply.get(0)));
    }

    @Override
    public Gate gate(int node, String key) {
        RedisAsyncCommands<String, String> commands = nodes.get(node);
        String[] keys = keysOf.apply(key);
        return new AskingAgain() {
            @Override
            public void ask(BiConsumer<@Nullable Boolean, @Nullable Throwable> told) {
                CompletionStage<List<Object>> reply = commands.evalsha(sha, ScriptOutputType.MULTI, keys, arguments);
                var unused = reply.whenComplete(
                        (answer, failure) -> told.accept(failure == null && isGranted.test(answer), failure));
            }
        };
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
