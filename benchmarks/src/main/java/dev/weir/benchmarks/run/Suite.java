package dev.weir.benchmarks.run;

import dev.weir.benchmarks.decision.Outcome;
import dev.weir.benchmarks.report.Page;
import dev.weir.benchmarks.report.Results;
import dev.weir.benchmarks.report.Rows;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Measures everything and writes it down. Arguments: how long ({@code short} or {@code long}), the letters of the sections, the
 * file of the results, the directory of the page, and the command by which all this was called.
 */
public final class Suite {

    private static final List<Part> PARTS = List.of(
            new Part("A", true, new Decisions("A", Outcome.GRANTED, 1)),
            new Part("B", true, new Decisions("B", Outcome.REFUSED, 1)),
            new Part("C", true, new Streams()),
            new Part("A", false, new Decisions("A", Outcome.GRANTED, 2)),
            new Part("B", false, new Decisions("B", Outcome.REFUSED, 2)),
            new Part("A", false, new Decisions("A", Outcome.GRANTED, 8)),
            new Part("B", false, new Decisions("B", Outcome.REFUSED, 8)),
            new Part("D", false, new Shaping()),
            new Part("E", false, new Waiting()),
            new Part("F", false, new Crowds()),
            new Part("G", false, new Growing()),
            new Part("H", false, new Fleets()));

    private Suite() {}

    public static void main(String[] arguments) throws IOException {
        System.setProperty("jmh.ignoreLock", "true");
        Effort effort = Effort.of(arguments[0]);
        Path file = Path.of(arguments[2]);
        Results begun = Results.begun(arguments[4]);
        Results results = begun.with(
                measured(arguments[1].toUpperCase(Locale.ROOT), effort).all());
        results.write(file);
        new Page(Results.read(file)).write(Path.of(arguments[3]));
    }

    /** Measures the sections with these letters. */
    static Rows measured(String letters, Effort effort) {
        Rows rows = new Rows();
        int rounds = Math.max(effort.quickRounds(), effort.slowRounds());
        for (int round = 1; round <= rounds; round++) {
            for (Part part : PARTS) {
                if (letters.contains(part.letter) && round <= part.rounds(effort)) {
                    System.out.printf("round %d, section %s%n", round, part.letter);
                    part.section.measure(rows, effort);
                }
            }
        }
        return rows;
    }

    private record Part(String letter, boolean quick, Section section) {

        int rounds(Effort effort) {
            return quick ? effort.quickRounds() : effort.slowRounds();
        }
    }
}
