package dev.weir;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import org.openjdk.jcstress.JCStress;
import org.openjdk.jcstress.Options;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.infra.StateCase;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.TestInfo;
import org.openjdk.jcstress.infra.collectors.DiskReadCollector;
import org.openjdk.jcstress.infra.collectors.InProcessCollector;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.runners.TestList;

/**
 * Runs all races and judges them: ends with a failure if any came out otherwise than foreseen, broke, timed out, or did not
 * run at all. Says of each race how many of its foreseen outcomes were seen, as a race that always goes the same way proves
 * little.
 */
public final class StressRun {

    private StressRun() {}

    /**
     * Runs the races.
     *
     * @param args the options of jcstress
     * @throws Exception if jcstress cannot run at all
     */
    public static void main(String[] args) throws Exception {
        Options options = new Options(args);
        if (!options.parse()) {
            throw new IllegalArgumentException("jcstress does not understand " + String.join(" ", args));
        }
        JCStress stress = new JCStress(options);
        SortedSet<String> races = stress.getTests();
        boolean complaint = false;
        try {
            stress.run();
        } catch (AssertionError failures) {
            complaint = true; // in which jcstress lists what is judged here once more
        }
        int failed = judge(races, resultsOf(options));
        System.out.println((races.size() - failed) + " passed, " + failed + " failed");
        if (failed > 0 || complaint || races.isEmpty()) {
            System.exit(1);
        }
    }

    /** A race runs in several virtual machines, each of which leaves a result. */
    private static Map<String, List<TestResult>> resultsOf(Options options) throws IOException, ClassNotFoundException {
        InProcessCollector collector = new InProcessCollector();
        DiskReadCollector file = new DiskReadCollector(options.getResultFile(), collector);
        file.dump();
        file.close();
        Map<String, List<TestResult>> results = new TreeMap<>();
        for (TestResult result : collector.getTestResults()) {
            results.computeIfAbsent(result.getName(), race -> new ArrayList<>()).add(result);
        }
        return results;
    }

    /** Prints a line for each race. Answers how many failed. */
    private static int judge(SortedSet<String> races, Map<String, List<TestResult>> results) {
        int failed = 0;
        System.out.println("Foreseen outcomes that were seen:");
        for (String race : races) {
            List<TestResult> ofRace = results.getOrDefault(race, List.of());
            boolean passed = !ofRace.isEmpty() && ofRace.stream().allMatch(StressRun::isGood);
            failed += passed ? 0 : 1;
            System.out.println((passed ? "  ok      " : "  FAILED  ") + race + ": " + seen(race, ofRace));
        }
        return failed;
    }

    private static boolean isGood(TestResult result) {
        return result.status() == Status.NORMAL && result.grading().isPassed && result.getTotalCount() > 0;
    }

    private static String seen(String race, List<TestResult> results) {
        TestInfo info = TestList.getInfo(race);
        int foreseen = 0;
        int seen = 0;
        StringBuilder counts = new StringBuilder();
        for (StateCase outcome : info.cases()) {
            if (outcome.expect() != Expect.FORBIDDEN) {
                long count = times(outcome, results);
                foreseen++;
                seen += count > 0 ? 1 : 0;
                counts.append(counts.isEmpty() ? "" : ", ")
                        .append(outcome.description())
                        .append(" x ")
                        .append(count);
            }
        }
        return seen + " of " + foreseen + " (" + counts + ")" + (seen < foreseen ? " ONE-SIDED" : "");
    }

    private static long times(StateCase outcome, List<TestResult> results) {
        return results.stream()
                .mapToLong(result -> result.getStateKeys().stream()
                        .filter(outcome::matches)
                        .mapToLong(result::getCount)
                        .sum())
                .sum();
    }
}
