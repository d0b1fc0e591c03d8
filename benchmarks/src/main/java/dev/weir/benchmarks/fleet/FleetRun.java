package dev.weir.benchmarks.fleet;

import dev.weir.benchmarks.Figures;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Measures a contender in one setting after the other, so that what was compiled for one serves the next, and each as often as it is
 * asked to. Arguments: contender, port of the server, its database. Reads a question a line, and says figures after each, possibly none.
 */
public final class FleetRun {

    public static final int CALLERS = 256;
    public static final int KEYS = 1_000;
    public static final int WAITERS = 1_000;

    private static final String LOAD = "load";
    private static final String TURN = "turn";
    private static final String WAIT = "wait";

    /** Of a turn, before it: others had the processors and their caches. */
    private static final int LEAD_IN = 4;

    private final FleetContender contender;
    private final int port;
    private final int database;
    private @Nullable LoadRun load;

    private FleetRun(FleetContender contender, int port, int database) {
        this.contender = contender;
        this.port = port;
        this.database = database;
    }

    public static void main(String[] arguments) throws IOException {
        FleetRun run = new FleetRun(FleetContender.valueOf(arguments[0]), number(arguments[1]), number(arguments[2]));
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String question = questions.readLine(); question != null; question = questions.readLine()) {
            Figures.say(run.answer(question.split(" ")).all());
        }
        System.exit(0);
    }

    /** Asks to begin with a load, for so long as it takes to compile what it needs. */
    public static String toLoad(int keys, int callers, int warmupMillis) {
        return String.join(" ", LOAD, "" + keys, "" + callers, "" + warmupMillis);
    }

    /** Asks to bear the load once more. */
    public static String toTakeATurn(int millis) {
        return TURN + " " + millis;
    }

    /** Asks to have many wait. */
    public static String toWait() {
        return WAIT;
    }

    private Figures answer(String[] words) {
        return switch (words[0]) {
            case LOAD -> begin(new Load(number(words[1]), number(words[2])), number(words[3]));
            case TURN -> turn(number(words[1]));
            case WAIT -> waiting();
            default -> throw new IllegalArgumentException(words[0]);
        };
    }

    private static int number(String word) {
        return Integer.parseInt(word);
    }

    private Figures begin(Load next, int warmupMillis) {
        end();
        LoadRun begun = next.on(contender, port, database);
        load = begun;
        begun.warmUp(warmupMillis);
        return new Figures();
    }

    private Figures turn(int millis) {
        LoadRun load = this.load;
        if (load == null) {
            throw new IllegalStateException("no load yet");
        }
        load.warmUp(millis / LEAD_IN);
        return load.measure(millis);
    }

    private Figures waiting() {
        end();
        return new Queue(WAITERS).measure(contender, port, database);
    }

    private void end() {
        if (load != null) {
            load.close();
            load = null;
        }
    }
}
