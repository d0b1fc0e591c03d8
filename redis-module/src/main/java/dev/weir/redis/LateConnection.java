package dev.weir.redis;

import dev.weir.time.TimeSource;
import io.lettuce.core.api.StatefulConnection;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A connection that may not be available yet: if the first attempt fails, others follow in the background until one succeeds. From
 * then on the client reconnects by itself.
 */
final class LateConnection<C extends StatefulConnection<String, String>> implements Commands {

    private static final long SHORTEST_NANOS = 100_000_000;
    private static final long LONGEST_NANOS = 5_000_000_000L;

    private final Callable<C> connecting;
    private final Function<C, Commands> commandsOf;
    private final OutageListener outages;
    private final TimeSource time;
    private final AtomicReference<@Nullable C> connection = new AtomicReference<>();
    private volatile @Nullable Commands commands;
    private volatile Throwable missing = new IllegalStateException("not connected yet");
    private volatile boolean closed;

    LateConnection(Callable<C> connecting, Function<C, Commands> commandsOf, OutageListener outages, TimeSource time) {
        this.connecting = connecting;
        this.commandsOf = commandsOf;
        this.outages = outages;
        this.time = time;
    }

    /** Connects, blocking as long as the client does; if that fails, retries later, on threads that may block. */
    void connect() {
        attempt(SHORTEST_NANOS);
    }

    private void attempt(long pauseNanos) {
        if (closed) {
            return;
        }
        try {
            C made = connecting.call();
            connection.set(made);
            commands = commandsOf.apply(made);
            if (closed) {
                close();
            }
        } catch (Exception | Error failed) {
            missing = failed;
            if (!closed) {
                time.schedule(() -> attempt(Math.min(LONGEST_NANOS, 2 * pauseNanos)), pauseNanos);
                outages.decidesAlone(failed);
            }
        }
    }

    @Override
    public void run(Script script, String[] keys, String[] arguments, Listener listener) {
        Commands there = commands;
        if (there == null) {
            listener.failed(new NotConnectedException(missing));
        } else {
            there.run(script, keys, arguments, listener);
        }
    }

    @Override
    public String serverOf(String key) {
        Commands there = commands;
        return there == null ? "" : there.serverOf(key);
    }

    @Override
    public void hurry() {
        Commands there = commands;
        if (there != null) {
            there.hurry();
        }
    }

    void close() {
        closed = true;
        C made = connection.getAndSet(null);
        if (made != null) {
            var unused = made.closeAsync();
        }
    }
}
