package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.limit.Limit;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import java.io.IOException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A connection that is lost after the server has done what it was asked for, and before it could say so. */
class SentOnceRealTimeTest {

    private static final Script COUNT = Script.of("""
            local n = redis.call('INCR', KEYS[1])
            redis.call('PEXPIRE', KEYS[1], 600000)
            return tostring(n)
            """);
    private static final String[] KEY = {"weir:count"};
    private static final String[] NOTHING = {};

    /** What is unanswered before others are kept back. */
    private static final int CALLS = Wires.FEW;

    private ServerProcess redis;
    private FaultyProxy proxy;
    private RedisClient client;

    @BeforeEach
    void start() {
        redis = ServerProcess.start();
        proxy = new FaultyProxy(redis.port());
        client = RedisClient.create(
                RedisURI.builder().withHost("127.0.0.1").withPort(proxy.port()).build());
    }

    @AfterEach
    void stop() throws IOException {
        client.shutdown(0, 1, TimeUnit.SECONDS);
        proxy.close();
        redis.close();
    }

    private static final class Heard implements Commands.Listener {

        private final Queue<String> replies = new ConcurrentLinkedQueue<>();
        private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

        @Override
        public void replied(String reply) {
            replies.add(reply);
        }

        @Override
        public void failed(Throwable cause) {
            failures.add(cause);
        }
    }

    private long counted() {
        try (ScriptHost host = new ScriptHost("127.0.0.1", redis.port())) {
            return Long.parseLong(host.jedis().get(KEY[0]));
        }
    }

    @ParameterizedTest
    @EnumSource(ClientOptions.DisconnectedBehavior.class)
    @DisplayName("nothing is done twice: whose answer was lost has failed; and the next connection is as good as new")
    void onceOnly(ClientOptions.DisconnectedBehavior behavior) {
        client.setOptions(ClientOptions.builder().disconnectedBehavior(behavior).build());
        Commands commands = new LettuceCommands(Wires.over(client.connect(StringCodec.UTF8), 32));
        Heard before = new Heard();
        commands.run(COUNT, KEY, NOTHING, before);
        await().until(() -> before.replies.contains("1"));
        proxy.fault(FaultyProxy.Fault.SWALLOW);
        Heard lost = new Heard();
        for (int call = 0; call < CALLS; call++) {
            commands.run(COUNT, KEY, NOTHING, lost);
        }
        await().until(() -> counted() == 1 + CALLS);
        proxy.reset(false);
        proxy.fault(FaultyProxy.Fault.NONE);
        await().until(() -> lost.replies.size() + lost.failures.size() == CALLS);
        assertThat(lost.replies).isEmpty();
        Heard after = new Heard();
        AtomicInteger sent = new AtomicInteger();
        await().until(() -> {
            commands.run(COUNT, KEY, NOTHING, after);
            sent.incrementAndGet();
            return !after.replies.isEmpty();
        });
        // The last one was sent just now, after the reply to another one had come.
        await().until(() -> after.replies.size() + after.failures.size() == sent.get());
        assertThat(after.replies).contains(Long.toString(counted()));
        assertThat(counted()).isEqualTo(1 + CALLS + after.replies.size());
    }

    @Test
    @DisplayName("a call of a batch whose answer was lost fails once, and is not executed twice")
    void batches() {
        int many = 100;
        LimitWords words = LimitWords.of(Limit.fixedWindow(1_000, Duration.ofHours(1)), ScriptHost.LEASE);
        Commands commands = new LettuceCommands(Wires.over(client.connect(StringCodec.UTF8), 32));
        Heard before = new Heard();
        take(commands, words, "before", before);
        await().until(() -> !before.replies.isEmpty());
        proxy.fault(FaultyProxy.Fault.SWALLOW);
        Heard lost = new Heard();
        for (int call = 0; call < many; call++) {
            take(commands, words, "k" + call, lost);
        }
        commands.hurry(); // or all but a few would wait for answers
        try (ScriptHost host = new ScriptHost("127.0.0.1", redis.port())) {
            await().until(() -> host.jedis().keys("weir:v1:{k*").size() == many);
            proxy.reset(false);
            proxy.fault(FaultyProxy.Fault.NONE);
            await().until(() -> lost.failures.size() == many);
            assertThat(lost.replies).isEmpty();
            Heard after = new Heard();
            await().until(() -> {
                take(commands, words, "after", after);
                return !after.replies.isEmpty();
            });
            assertThat(host.jedis().keys("weir:v1:{k*").stream().map(host.jedis()::get))
                    .extracting(state -> state.split(":", -1)[3])
                    .as("permits that count")
                    .containsOnly("1");
        }
    }

    private static void take(Commands commands, LimitWords words, String tag, Commands.Listener listener) {
        String[] keys = new Keys("weir").of(tag, words.members()).toArray(String[]::new);
        commands.run(words.script(), keys, words.arguments(Questions.take(1), "node"), listener);
    }
}
