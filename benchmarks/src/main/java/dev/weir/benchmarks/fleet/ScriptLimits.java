package dev.weir.benchmarks.fleet;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A script that is asked by its name, once for each decision: one connection for each node. */
final class ScriptLimits implements SharedLimits {

    private static final int THREADS = 2;
    private static final Executor ELSEWHERE = Executors.newFixedThreadPool(THREADS, task -> {
        Thread thread = new Thread(task, "told");
        thread.setDaemon(true);
        return thread;
    });

    private final RedisClient client;
    private final List<RedisAsyncCommands<String, String>> nodes = new ArrayList<>();
    private final String sha;
    private final Function<String, String[]> keysOf;
    private final String[] arguments;
    private final Predicate<List<Object>> isGranted;
    private final Executor told;

    private ScriptLimits(
            Site site,
            String script,
            Function<String, String[]> keysOf,
            String[] arguments,
            Predicate<List<Object>> isGranted,
            Executor told) {
        this.client = Lettuce.client(site.port(), site.database());
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
        this.told = told;
    }

    /** The least that a decision at a server can cost: a script that does nothing. */
    static SharedLimits floor(Site site) {
        return floor(site, Runnable::run);
    }

    /** The same where callers are told on threads on which they may do as they like: not on those of the connection. */
    static SharedLimits floorElsewhere(Site site) {
        return floor(site, ELSEWHERE);
    }

    private static SharedLimits floor(Site site, Executor told) {
        return new ScriptLimits(
                site, "return {1}", key -> new String[] {key}, new String[] {"1"}, reply -> !reply.isEmpty(), told);
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
                reply -> Long.valueOf(1).equals(reply.get(0)),
                Runnable::run);
    }

    @Override
    public Gate gate(int node, String key) {
        RedisAsyncCommands<String, String> commands = nodes.get(node);
        String[] keys = keysOf.apply(key);
        return new AskingAgain() {
            @Override
            public void ask(BiConsumer<@Nullable Boolean, @Nullable Throwable> caller) {
                CompletionStage<List<Object>> reply = commands.evalsha(sha, ScriptOutputType.MULTI, keys, arguments);
                var unused = reply.whenCompleteAsync(
                        (answer, failure) -> caller.accept(failure == null && isGranted.test(answer), failure), told);
            }
        };
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
