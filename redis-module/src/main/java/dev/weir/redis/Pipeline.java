package dev.weir.redis;

import dev.weir.time.TimeSource;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends commands over one connection, batching under load. While few commands are unanswered, each is sent at once; later ones are
 * kept back until few are left and then sent together, in one write to the socket, which the server also reads at once (J. Nagle,
 * RFC 896, with commands for bytes).
 *
 * <p>So the higher the load, the less each command costs, on both sides; and no command waits for a timer: one that is kept back is
 * sent when those before it are answered, which the server would have answered first anyway. While disconnected no command is kept
 * back, as there may be no answers: the client decides what happens to it.
 */
final class Pipeline {

    /*
     * A sender adds its command and then reads the number unanswered; the receiver of an answer decrements that number and then
     * checks for added commands. Both are volatile, so the last command is never left behind (T. J. Dekker's algorithm). Several
     * threads may send concurrently: each takes what it finds.
     *
     * Answers of the server arrive on the client's reading thread, which may write the next commands. A failure may be reported
     * from inside the client's own write, under its lock, and perhaps because it takes no commands: writing there could deadlock or
     * recurse without end. So after a failure another thread checks for added commands.
     */

    private final Wire wire;
    private final TimeSource time;
    private final Queue<ScriptCall> kept = new ConcurrentLinkedQueue<>();
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
     * @param whenAnswered receives the reply or the failure, once or never, on any thread
     */
    void send(OnceCommand command, BiConsumer<? super String, ? super @Nullable Throwable> whenAnswered) {
        ScriptCall asked = new ScriptCall(command);
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

    /** Sends all commands kept back, and keeps none back from now on. */
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
            List<ScriptCall> together = takeTogether(wire.most());
            unanswered.addAndGet(together.size());
            write(together);
        }
    }

    private List<ScriptCall> takeTogether(int most) {
        List<ScriptCall> together = new ArrayList<>();
        while (together.size() < most) {
            ScriptCall command = kept.poll();
            if (command == null) {
                break;
            }
            together.add(command);
        }
        return together;
    }

    private void write(List<ScriptCall> together) {
        if (together.isEmpty()) {
            return; // another thread has taken them
        }
        try {
            wire.write(together);
        } catch (Throwable refused) {
            together.forEach(command -> command.completeExceptionally(refused));
        }
    }

    /** A connection that commands are written to. */
    interface Wire {

        /** Returns how many commands may currently be unanswered before others are kept back. */
        int few();

        /** Returns how many commands can currently be written together, at least one. */
        int most();

        /** Writes one or more commands. If it throws, it has written none of them. */
        void write(List<ScriptCall> together);

        /** As {@link Commands#serverOf}. */
        default String serverOf(String key) {
            return "";
        }
    }
}
