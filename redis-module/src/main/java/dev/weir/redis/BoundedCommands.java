package dev.weir.redis;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lets no more than so many calls be under way. A client keeps what its server does not answer, for any number of keys; what is
 * beyond this fails at once, and nothing of it is kept.
 */
final class BoundedCommands implements Commands {

    private final Commands commands;
    private final int most;
    private final AtomicInteger underWay = new AtomicInteger();

    BoundedCommands(Commands commands, int most) {
        this.commands = commands;
        this.most = most;
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

    /** Leaves before it passes on what it hears, as that may lead to the next call. */
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

        @Override
        public void replied(String reply) {
            leave();
            listener.replied(reply);
        }

        @Override
        public void failed(Throwable cause) {
            leave();
            listener.failed(cause);
        }
    }
}
