package dev.weir.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.RedisCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends commands over one connection. While few are unanswered each goes at once; those that come later go together when few are left,
 * in one write to the socket, which the server, too, reads at once (J. Nagle, RFC 896, with commands for bytes).
 *
 * <p>So the more there is to do, the less each command costs, on both sides; and nobody waits for a clock: a command that is kept back
 * goes with the answers of those before it, which the server would have answered first anyway.
 */
final class Pipeline {

    /*
     * Who sends adds its command and then looks how many are unanswered; who hears an answer counts it off and then looks what has been
     * added. Both are volatile, so the last command is not left for want of an answer (T. J. Dekker's algorithm). Several may send at
     * the same time: each takes what it finds.
     */

    /** So many are answered before it would be worth while to wait for company. */
    static final int FEW = 4;

    private final Consumer<List<AsyncCommand<String, String, ?>>> wire;
    private final int few;
    private final Queue<AsyncCommand<String, String, ?>> kept = new ConcurrentLinkedQueue<>();
    private final AtomicInteger unanswered = new AtomicInteger();

    /** Makes a pipeline to a wire that writes together what it is given, and throws if it writes none of it. */
    Pipeline(Consumer<List<AsyncCommand<String, String, ?>>> wire, int few) {
        this.wire = wire;
        this.few = few;
    }

    static Pipeline over(StatefulRedisConnection<String, String> connection) {
        return new Pipeline(
                commands -> {
                    if (commands.size() == 1) {
                        connection.dispatch(
                                commands.get(0)); // one task of the connection's thread, where a list is two
                    } else {
                        connection.dispatch(commands);
                    }
                },
                FEW);
    }

    /** Of a cluster, where commands have many ways to go: each goes at once, and by itself. */
    static Pipeline over(StatefulRedisClusterConnection<String, String> connection) {
        return new Pipeline(commands -> commands.forEach(command -> dispatch(connection, command)), Integer.MAX_VALUE);
    }

    private static void dispatch(
            StatefulRedisClusterConnection<String, String> connection, AsyncCommand<String, String, ?> command) {
        try {
            connection.dispatch(command);
        } catch (RuntimeException refused) {
            command.completeExceptionally(refused);
        }
    }

    /**
     * Sends a command.
     *
     * @param command what to send
     * @param whenAnswered hears the reply or why there is none, once or never, on any thread
     */
    <T> void send(
            RedisCommand<String, String, T> command, BiConsumer<? super T, ? super @Nullable Throwable> whenAnswered) {
        AsyncCommand<String, String, T> asked = new AsyncCommand<>(command);
        var unused = asked.whenComplete((reply, failure) -> {
            unanswered.decrementAndGet();
            sendIfFew();
            whenAnswered.accept(reply, failure);
        });
        kept.add(asked);
        sendIfFew();
    }

    private void sendIfFew() {
        if (kept.isEmpty() || unanswered.get() >= few) {
            return;
        }
        List<AsyncCommand<String, String, ?>> together = new ArrayList<>();
        for (var command = kept.poll(); command != null; command = kept.poll()) {
            together.add(command);
        }
        if (!together.isEmpty()) {
            unanswered.addAndGet(together.size());
            write(together);
        }
    }

    private void write(List<AsyncCommand<String, String, ?>> together) {
        try {
            wire.accept(together);
        } catch (RuntimeException refused) {
            together.forEach(command -> command.completeExceptionally(refused));
        }
    }
}
