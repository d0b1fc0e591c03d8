package dev.weir.redis;

import dev.weir.time.TimeSource;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the number of calls in flight, and knows when there is none. A client keeps unanswered calls, for any number of keys; a
 * call beyond the bound fails at once, and nothing of it is kept.
 */
final class BoundedCommands implements Commands {

    private final Commands commands;
    private final TimeSource time;
    private volatile int most;
    private final AtomicInteger underWay = new AtomicInteger();

    /** Calls in flight, and those whose result is just being passed on: that may lead to further calls. */
    private final AtomicInteger open = new AtomicInteger();

    private final AtomicReference<@Nullable Runnable> last = new AtomicReference<>();

    BoundedCommands(Commands commands, int most, TimeSource time) {
        this.commands = commands;
        this.most = most;
        this.time = time;
    }

    /** Lets all calls through from now on: those of a leaving node cannot be made later, and are one for each limiter and key. */
    void unbind() {
        most = Integer.MAX_VALUE;
    }

    /** Runs a task once, when no call is in flight or after {@code latestNanos}: on this thread, or on one of the time source. */
    void runLast(Runnable toRun, long latestNanos) {
        commands.hurry();
        last.set(toRun);
        if (open.get() == 0) {
            runLast();
        } else {
            runLastIn(latestNanos);
        }
    }

    private void runLast() {
        Runnable toRun = last.getAndSet(null);
        if (toRun != null) {
            toRun.run();
        }
    }

    private void runLastIn(long nanos) {
        try {
            time.schedule(this::runLast, nanos);
        } catch (Throwable noMoreTasks) {
            runLast();
        }
    }

    @Override
    public void run(Script script, String[] keys, String[] arguments, Listener listener) {
        if (!enter()) {
            listener.failed(new TooManyCallsException(most));
            return;
        }
        open.incrementAndGet();
        Call call = new Call(listener);
        try {
            commands.run(script, keys, arguments, call);
        } catch (Throwable refused) {
            call.end(() -> {});
            throw refused;
        }
    }

    @Override
    public String serverOf(String key) {
        return commands.serverOf(key);
    }

    private boolean enter() {
        if (underWay.incrementAndGet() <= most) {
            return true;
        }
        underWay.decrementAndGet();
        return false;
    }

    /** Counts a call off before passing on its result, as that may lead to the next call. */
    private final class Call implements Listener {

        private final Listener listener;
        private final AtomicBoolean left = new AtomicBoolean();

        Call(Listener listener) {
            this.listener = listener;
        }

        /** Passes on the result, and looks whether that was the last call. */
        private void end(Runnable result) {
            boolean isFirst = left.compareAndSet(false, true);
            if (isFirst) {
                underWay.decrementAndGet();
            }
            try {
                result.run();
            } finally {
                if (isFirst && open.decrementAndGet() == 0 && last.get() != null) {
                    runLastIn(0); // this may be a thread of the client, perhaps under its lock
                }
            }
        }

        @Override
        public void replied(String reply) {
            end(() -> listener.replied(reply));
        }

        @Override
        public void failed(Throwable cause) {
            end(() -> listener.failed(cause));
        }
    }
}
