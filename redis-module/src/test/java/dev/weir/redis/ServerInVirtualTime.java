package dev.weir.redis;

import dev.weir.testkit.VirtualTimeSource;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.util.SafeEncoder;

/** The way of one node to a server whose clock is that of a test, by which it does not expire keys. */
final class ServerInVirtualTime implements Commands {

    private static final long BEGIN = 1_790_000_000_000_000L;

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
        long micros = BEGIN + time.nanoTime() / 1000;
        List<String> command = new ArrayList<>();
        command.add("local given = { table.remove(ARGV, #ARGV - 1), table.remove(ARGV) }\n"
                + ScriptHost.keepingKeys(script.text()).replace("call('TIME')", "given"));
        command.add(Integer.toString(keys.length));
        command.addAll(List.of(keys));
        command.addAll(List.of(arguments));
        command.add(Long.toString(micros / 1_000_000));
        command.add(Long.toString(micros % 1_000_000));
        byte[] reply = (byte[]) host.jedis().sendCommand(Protocol.Command.EVAL, command.toArray(String[]::new));
        TimeSource.Cancellable unused =
                time.schedule(() -> listener.replied(SafeEncoder.encode(reply)), trip.toNanos());
    }
}
