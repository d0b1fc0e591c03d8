package dev.weir.samples.driver;

import dev.weir.samples.driver.Traffic.Outcome;
import dev.weir.testkit.VirtualTimeSource;
import dev.weir.time.TimeSource;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The command: offers traffic to all contenders at the same time, and prints what each admitted. */
public final class DriverCommand {

    private static final List<Integer> OFFERED = List.of(1, 2, 5, 10, 20, 25, 50, 100);
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private static final String USAGE = """
            usage: AlgorithmDriver [--real]

              --real    on the clock of this machine, for a few seconds, instead of a minute of virtual time
              --help    this text
            """;

    private final TimeSource time;
    private final Duration duration;
    private final Map<String, List<CompletableFuture<Outcome>>> outcomes = new LinkedHashMap<>();

    private DriverCommand(TimeSource time, Duration duration) {
        this.time = time;
        this.duration = duration;
    }

    /**
     * Runs the traffic and prints the table.
     *
     * @param args the command line arguments
     * @param out where the table is printed
     * @param err where errors are printed
     * @return the exit code: 0, or 2 for invalid arguments
     */
    public static int run(String[] args, PrintStream out, PrintStream err) {
        List<String> options = List.of(args);
        if (options.isEmpty()) {
            VirtualTimeSource time = new VirtualTimeSource();
            DriverCommand driver = new DriverCommand(time, Duration.ofMinutes(1));
            driver.start();
            time.advanceBy(Duration.ofMinutes(2));
            driver.print("virtual", out);
        } else if (options.equals(List.of("--real"))) {
            DriverCommand driver = new DriverCommand(TimeSource.system(), Duration.ofSeconds(5));
            driver.start();
            driver.print("real", out);
        } else if (options.equals(List.of("--help"))) {
            out.print(USAGE);
        } else {
            err.println("unknown option: " + String.join(" ", args));
            err.print(USAGE);
            return 2;
        }
        return 0;
    }

    /** Starts in the middle of a second, where a window aligned with the second admits most. */
    private void start() {
        long now = time.nanoTime();
        long begin = now - Math.floorMod(now, NANOS_PER_SECOND) + NANOS_PER_SECOND * 3 / 2;
        Contenders.byName().forEach((name, limit) -> {
            List<CompletableFuture<Outcome>> row = new ArrayList<>();
            OFFERED.forEach(offered -> row.add(new Traffic(limit, offered, time).offer(begin, duration)));
            outcomes.put(name, row);
        });
    }

    private void print(String kindOfTime, PrintStream out) {
        out.printf(
                "Limits of 10 per second, for %d s of %s time: admitted per second,%n",
                duration.toSeconds(), kindOfTime);
        out.printf("and after the slash the most that were admitted in any one second.%n");
        out.printf("Requests above the limit are refused, none waits; a caller that returns at fixed times may%n");
        out.printf("miss the moment at which a permit is due.%n");
        out.printf("What a bucket or a window admits at once in the beginning is part of it.%n%n");
        out.printf("%-28s", "offered per second");
        OFFERED.forEach(offered -> out.printf("%11d", offered));
        out.println();
        outcomes.forEach((name, row) -> {
            out.printf("%-28s", name);
            row.forEach(outcome -> out.print(cell(outcome.join())));
            out.println();
        });
    }

    private static String cell(Outcome outcome) {
        return String.format(Locale.ROOT, "%7.2f/%-3d", outcome.perSecond(), outcome.mostInAnySecond());
    }
}
