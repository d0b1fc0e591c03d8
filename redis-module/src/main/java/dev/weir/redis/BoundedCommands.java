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
    private final int most;
    private final TimeSource time;
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicReference<@Nullable Runnable> last = new AtomicReference<>();

    BoundedCommands(Commands commands, int most, TimeSource time) {
        this.commands = commands;
        this.most = most;
        this.time = time;
    }

    /** Runs a task once, when no call is in flight or after {@code latestNanos}: on this thread, or on one of the time source. */
    void runLast(Runnable toRun, long latestNanos) {
        commands.hurry();
        last.set(toRun);
        if (underWay.get() == 0) {
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
        } catch (RuntimeException | Error noMoreTasks) {
            runLast();
        }
    }

    @Override
    public void run(Script script, String[] keys, String[] arguments, Listener listener) {
        if (!enter()) {
            listener.failed(new TooManyCallsException(most));
            return;
        }
        Call call = new Call(listener);
        try {
            commands.run(script, keys, arguments, call);
        } catch (RuntimeException | Error refused) {
            call.leave();
            throw refused;
        }
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

        void leave() {
            if (left.compareAndSet(false, true)) {
                underWay.decrementAndGet();
            }
        }

        /** Checks for the last call, after passing on the result. This may be a thread of the client, perhaps under its lock. */
        private void lookWhetherLast() {
            if (last.get() != null && underWay.get() == 0) {
                runLastIn(0);
            }
        }

        @Override
        public void replied(String reply) {
            leave();
            listener.replied(reply);
            lookWhetherLast();
        }

        @Override
        public void failed(Throwable cause) {
            leave();
            listener.failed(cause);
            lookWhetherLast();
        }
    }
}
