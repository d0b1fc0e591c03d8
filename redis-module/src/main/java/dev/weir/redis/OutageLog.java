package dev.weir.redis;

import dev.weir.time.TimeSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;

/**
 * Warns in the log that limits are decided without the server, and why: nobody else would say so, as no call fails for that. Once a
 * minute at most, however many fail.
 */
final class OutageLog implements OutageListener {

    static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final System.Logger LOGGER = System.getLogger("dev.weir.redis");

    private final String message;
    private final TimeSource time;
    private final BiConsumer<String, Throwable> log;
    private final AtomicLong quietUntil;

    OutageLog(WhenUnavailable choice, TimeSource time, BiConsumer<String, Throwable> log) {
        this.message = "Limits are decided without the server that keeps them, all or some: " + consequence(choice)
                + ". Told again in a minute if that lasts";
        this.time = time;
        this.log = log;
        this.quietUntil = new AtomicLong(time.nanoTime());
    }

    /** Returns one that writes to the logger of this package. */
    static OutageLog ofSystem(WhenUnavailable choice) {
        return new OutageLog(
                choice,
                TimeSource.system(),
                (message, cause) -> LOGGER.log(System.Logger.Level.WARNING, message, cause));
    }

    private static String consequence(WhenUnavailable choice) {
        return switch (choice) {
            case REFUSE -> "requests are refused (REFUSE)";
            case ALLOW -> "all requests are admitted (ALLOW)";
            case LOCAL -> "this node admits its share (LOCAL)";
        };
    }

    /** The log is written on a thread that may block, as logs do. */
    @Override
    public void decidesAlone(Throwable cause) {
        long now = time.nanoTime();
        long until = quietUntil.get();
        if (now - until >= 0 && quietUntil.compareAndSet(until, now + QUIET_NANOS)) {
            try {
                TimeSource.Cancellable unused = time.schedule(() -> log.accept(message, cause), 0);
            } catch (Throwable noThread) {
                quietUntil.set(until); // a later failure may find one: limits have to go on, log or not
            }
        }
    }
}
