package dev.weir.redis;

import java.util.concurrent.atomic.AtomicLong;

/** Counts the calls that the client is given, and those that it gives back. */
record CountedCommands(Commands commands, AtomicLong given, AtomicLong back) implements Commands {

    CountedCommands(Commands commands) {
        this(commands, new AtomicLong(), new AtomicLong());
    }

    long underWay() {
        return given.get() - back.get();
    }

    @Override
    public void run(Script script, String[] keys, String[] arguments, Listener listener) {
        given.incrementAndGet();
        Listener counting = new Listener() {
            @Override
            public void replied(String reply) {
                back.incrementAndGet();
                listener.replied(reply);
            }

            @Override
            public void failed(Throwable cause) {
                back.incrementAndGet();
                listener.failed(cause);
            }
        };
        try {
            commands.run(script, keys, arguments, counting);
        } catch (RuntimeException refused) {
            back.incrementAndGet();
            throw refused;
        }
    }
}
