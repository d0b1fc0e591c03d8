package dev.weir.benchmarks.fleet;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.Map;
import java.util.stream.Collectors;

/** What a server has to do for those who ask it, whatever the database, as it tells itself. */
final class ServerCost implements AutoCloseable {

    private static final double MICROS_PER_SECOND = 1e6;

    private final RedisClient client;
    private final RedisCommands<String, String> server;
    private double cpuMicrosBefore;
    private long scriptsBefore;

    ServerCost(int port, int database) {
        this.client = Lettuce.client(port, database);
        this.server = client.connect().sync();
    }

    /** Takes away all that is left in the database. */
    void clear() {
        server.flushdb();
    }

    /** From now on it counts. */
    void begin() {
        cpuMicrosBefore = cpuMicrosSoFar();
        scriptsBefore = scriptsSoFar();
    }

    /** The processor time of the server in microseconds, its system calls included. */
    double cpuMicros() {
        return cpuMicrosSoFar() - cpuMicrosBefore;
    }

    /** How many scripts were asked for. What scripts call is no trip, and other commands are not told apart from that here. */
    long scripts() {
        return scriptsSoFar() - scriptsBefore;
    }

    private double cpuMicrosSoFar() {
        Map<String, String> cpu = info("cpu");
        return MICROS_PER_SECOND * (number(cpu, "used_cpu_user") + number(cpu, "used_cpu_sys"));
    }

    private static double number(Map<String, String> info, String name) {
        return Double.parseDouble(info.getOrDefault(name, "0"));
    }

    private long scriptsSoFar() {
        Map<String, String> commands = info("commandstats");
        return calls(commands.getOrDefault("cmdstat_eval", "")) + calls(commands.getOrDefault("cmdstat_evalsha", ""));
    }

    /** Reads it from {@code calls=7,usec=35,...}. */
    private static long calls(String statistics) {
        return statistics.isEmpty()
                ? 0
                : Long.parseLong(statistics.substring(statistics.indexOf('=') + 1, statistics.indexOf(',')));
    }

    private Map<String, String> info(String section) {
        return server.info(section)
                .lines()
                .filter(line -> line.contains(":"))
                .collect(Collectors.toMap(
                        line -> line.substring(0, line.indexOf(':')), line -> line.substring(line.indexOf(':') + 1)));
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
