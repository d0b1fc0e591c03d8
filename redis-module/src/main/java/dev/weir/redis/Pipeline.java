package dev.weir.redis;

import dev.weir.time.TimeSource;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.RedisCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends commands over one connection. While few are unanswered each goes at once; those that come later go together when few are left,
 * in one write to the socket, which the server, too, reads at once (J. Nagle, RFC 896, with commands for bytes).
 *
 * <p>So the more there is to do, the less each command costs, on both sides; and nobody waits for a clock: a command that is kept back
 * goes with the answers of those before it, which the server would have answered first anyway. Where there is no connection none is
 * kept back, as there may be no answers: what becomes of commands then is for the client to say.
 */
final class Pipeline {

    /*
     * Who sends adds its command and then looks how many are unanswered; who hears an answer counts it off and then looks what has been
     * added. Both are volatile, so the last command is not left for want of an answer (T. J. Dekker's algorithm). Several may send at
     * the same time: each takes what it finds.
     *
     * An answer of the server is heard where the client reads, and there the next commands may be written. A failure may be heard from
     * inside the client's own writing, under its lock, and perhaps because it takes no commands: to write there could wait for that lock
     * for ever, or go round in it. So after a failure somebody else looks what has been added.
     */

    private final Wire wire;
    private final TimeSource time;
    private final Queue<AsyncCommand<String, String, String>> kept = new ConcurrentLinkedQueue<>();
    private final AtomicInteger unanswered = new AtomicInteger();
    private volatile boolean hurried;

    Pipeline(Wire wire, TimeSource time) {
        this.wire = wire;
        this.time = time;
    }

    /**
     * Sends a command.
     *
     * @param command what to send
     * @param whenAnswered hears the reply or why there is none, once or never, on any thread
     */
    void send(
            RedisCommand<String, String, String> command,
            BiConsumer<? super String, ? super @Nullable Throwable> whenAnswered) {
        AsyncCommand<String, String, String> asked = new AsyncCommand<>(command);
        var unused = asked.whenComplete((reply, failure) -> {
            unanswered.decrementAndGet();
            try {
                sendNext(failure);
            } finally {
                whenAnswered.accept(reply, failure);
            }
        });
        kept.add(asked);
        sendIfFew();
    }

    /** Keeps nothing back from now on, nor what has been. */
    void hurry() {
        hurried = true;
        sendIfFew();
    }

    private void sendNext(@Nullable Throwable failure) {
        if (failure == null || failure instanceof RedisCommandExecutionException) {
            sendIfFew();
        } else if (!kept.isEmpty()) {
            TimeSource.Cancellable unused = time.schedule(this::sendIfFew, 0);
        }
    }

    private void sendIfFew() {
        while (!kept.isEmpty() && (hurried || unanswered.get() < wire.few())) {
            List<AsyncCommand<String, String, String>> together = takeTogether(wire.most());
            unanswered.addAndGet(together.size());
            write(together);
        }
    }

    private List<AsyncCommand<String, String, String>> takeTogether(int most) {
        List<AsyncCommand<String, String, String>> together = new ArrayList<>();
        while (together.size() < most) {
            AsyncCommand<String, String, String> command = kept.poll();
            if (command == null) {
                break;
            }
            together.add(command);
        }
        return together;
    }

    private void write(List<AsyncCommand<String, String, String>> together) {
        if (together.isEmpty()) {
            return; // another thread has taken them
        }
        try {
            wire.write(together);
        } catch (RuntimeException | Error refused) {
            together.forEach(command -> command.completeExceptionally(refused));
        }
    }

    /** What commands go over. */
    interface Wire {

        /** How many are to be unanswered before others are kept back: as of now. */
        int few();

        /** How many can be written together: as of now, at least one. */
        int most();

        /** Writes commands, one at least. If it throws, it has written none of them. */
        void write(List<AsyncCommand<String, String, String>> together);
    }
}
