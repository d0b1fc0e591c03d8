package dev.weir.redis;

import dev.weir.testkit.VirtualTimeSource;
import dev.weir.time.TimeSource;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.ArrayList;
import java.util.List;

/** Takes its time for each call, one after the other; while it is gone or refuses, calls fail at once. */
final class BusyServer implements Commands {

    private static final long COST_NANOS = 100_000;

    private final ScriptHost host;
    private final VirtualTimeSource time;
    private final List<Runnable> stalled = new ArrayList<>();
    private long freeNanos;

    boolean isGone;
    boolean isRefusing;
    boolean isStalled;
    int asked;
    int unanswered;
    int mostUnanswered;

    BusyServer(ScriptHost host, VirtualTimeSource time) {
        this.host = host;
        this.time = time;
        this.freeNanos = time.nanoTime();
    }

    void goesOn() {
        isStalled = false;
        stalled.forEach(Runnable::run);
    }

    @Override
    public void run(Script script, String[] keys, String[] arguments, Listener listener) {
        if (isGone || isRefusing) {
            listener.failed(isGone ? new IllegalStateException("gone") : new RedisCommandExecutionException("ERR no"));
            return;
        }
        if (isStalled) {
            stalled.add(() -> run(script, keys, arguments, listener));
            return;
        }
        String reply = host.run(script.text(), List.of(keys), List.of(arguments), ScriptHost.micros(time));
        asked++;
        freeNanos = Math.max(time.nanoTime(), freeNanos) + COST_NANOS;
        mostUnanswered = Math.max(mostUnanswered, ++unanswered);
        TimeSource.Cancellable unused = time.schedule(
                () -> {
                    unanswered--;
                    listener.replied(reply);
                },
                freeNanos - time.nanoTime());
    }
}
