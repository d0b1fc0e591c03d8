package dev.weir.benchmarks.fleet;

import dev.weir.benchmarks.Figures;
import dev.weir.benchmarks.Kind;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Measures a contender in all settings, one after the other, so that what was compiled for one serves the next. Arguments: contender,
 * port of the server, milliseconds to warm up and to measure each time. What a peer fails at has no figures.
 */
public final class FleetRun {

    public static final int CALLERS = 256;
    public static final int KEYS = 1_000;
    public static final int WAITERS = 1_000;

    /** On processors that it shares with the server, a virtual machine compiles for so long; the figures are of what it compiled. */
    private static final int COLD = 30;

    private static final int WARM = 12;

    private final FleetContender contender;
    private final Figures all = new Figures();

    private FleetRun(FleetContender contender) {
        this.contender = contender;
    }

    public static void main(String[] arguments) {
        Figures.tell(measure(
                FleetContender.valueOf(arguments[0]),
                Integer.parseInt(arguments[1]),
                Integer.parseInt(arguments[2]),
                Integer.parseInt(arguments[3])));
    }

    static Map<String, Double> measure(FleetContender contender, int port, int warmupMillis, int millis) {
        FleetRun run = new FleetRun(contender);
        for (Load load : List.of(new Load(KEYS, CALLERS), new Load(1, CALLERS), new Load(1, 1))) {
            boolean isFirst = load.keys() == KEYS;
            run.add(
                    of(load.keys(), load.callers()),
                    () -> load.measure(contender, port, (isFirst ? COLD : WARM) * warmupMillis, millis));
        }
        if (contender.kind() != Kind.FLOOR) {
            run.add(ofWaiters(), () -> new Queue(WAITERS).measure(contender, port));
        }
        return run.all.all();
    }

    /** What the names of the figures of a load begin with. */
    public static String of(int keys, int callers) {
        return keys + " keys, " + callers + " callers: ";
    }

    /** What the names of the figures of those who wait begin with. */
    public static String ofWaiters() {
        return "waiters: ";
    }

    private void add(String prefix, Supplier<Figures> measurement) {
        try {
            measurement.get().all().forEach((name, figure) -> all.put(prefix + name, figure));
        } catch (RuntimeException failed) {
            if (contender.kind() != Kind.PEER) {
                throw failed;
            }
            // A peer that fails has no figures, and its row says so.
        }
    }
}
