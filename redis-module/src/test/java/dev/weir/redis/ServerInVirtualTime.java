package dev.weir.redis;

import dev.weir.testkit.VirtualTimeSource;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.List;

/** The way of one node to a server whose clock is that of a test, by which it does not expire keys. */
final class ServerInVirtualTime implements Commands {

    private final ScriptHost host;
    private final VirtualTimeSource time;
    private Duration trip;
    private boolean isGone;

    ServerInVirtualTime(ScriptHost host, VirtualTimeSource time, Duration trip) {
        this.host = host;
        this.time = time;
        this.trip = trip;
    }

    /** Has the server decide at once from now on, and the answer take so long. */
    void answersWithin(Duration changed) {
        trip = changed;
        isGone = false;
    }

    void isGone() {
        isGone = true;
    }

    @Override
    public void run(Script script, String[] keys, String[] arguments, Listener listener) {
        if (isGone) {
            listener.failed(new IllegalStateException("gone"));
            return;
        }
        String reply = host.run(script.text(), List.of(keys), List.of(arguments), ScriptHost.micros(time));
        TimeSource.Cancellable unused = time.schedule(() -> listener.replied(reply), trip.toNanos());
    }
}
