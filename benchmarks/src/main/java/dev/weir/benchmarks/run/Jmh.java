package dev.weir.benchmarks.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs one setting of a benchmark in a virtual machine of its own, in which it takes turns with its yardstick. */
final class Jmh {

    private static final String ALLOCATED = "gc.alloc.rate.norm";

    /** The yardstick's and the contender's, in this order. */
    private static final int TURNS = 2;

    /**
     * Memory that the machine has before it begins. Who allocates would otherwise be measured by how fast the system under it hands out
     * pages that nobody has used yet, which may take longer than all the rest.
     */
    private static final String[] MEMORY_AT_HAND = {"-Xms512m", "-Xmx512m", "-XX:+AlwaysPreTouch"};

    private Jmh() {}

    /**
     * Returns the nanoseconds of each iteration, those of the yardstick just before it, the bytes of an iteration, and whatever
     * the benchmark counts beside. For one thread the nanoseconds are the median, which leaves out what other programs did. For
     * several they are the mean: who is kept waiting by another, as at a lock, waits in few rows, and these count.
     *
     * @param operations how many of what is asked for the benchmark does at a time
     * @throws IllegalStateException if the benchmark fails, its checks included
     */
    static Map<String, List<Double>> run(
            Class<?> benchmark, Map<String, String> parameters, int operations, int threads, Effort.Times times) {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("^" + benchmark.getName().replace(".", "\\.") + "\\.")
                .threads(threads)
                .forks(1)
                .jvmArgsAppend(MEMORY_AT_HAND)
                .warmupIterations(TURNS * times.warmups())
                .warmupTime(TimeValue.milliseconds(times.warmupMillis()))
                .measurementIterations(TURNS * times.iterations())
                .measurementTime(TimeValue.milliseconds(times.millis()))
                .addProfiler(GCProfiler.class)
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT);
        parameters.forEach(options::param);
        try {
            return figures(new Runner(options.build()).runSingle(), operations, threads);
        } catch (RunnerException e) {
            throw new IllegalStateException(parameters.toString(), e);
        }
    }

    private static Map<String, List<Double>> figures(RunResult run, int operations, int threads) {
        Map<String, List<Double>> figures = new LinkedHashMap<>();
        for (BenchmarkResult fork : run.getBenchmarkResults()) {
            boolean yardsticksTurn = false;
            for (IterationResult iteration : fork.getIterationResults()) {
                yardsticksTurn = !yardsticksTurn;
                Result<?> time = iteration.getPrimaryResult();
                double nanos = (threads == 1 ? median(time) : time.getScore()) / operations;
                add(figures, yardsticksTurn ? "yardstickNanos" : "nanos", nanos);
                if (yardsticksTurn) {
                    continue;
                }
                iteration.getSecondaryResults().forEach((name, result) -> {
                    if (name.equals(ALLOCATED)) {
                        add(figures, "bytes", result.getScore() / operations);
                    } else if (!name.startsWith("gc.")) {
                        add(figures, name, result.getScore());
                    }
                });
            }
        }
        return figures;
    }

    private static double median(Result<?> result) {
        return result.getStatistics().getPercentile(50);
    }

    private static void add(Map<String, List<Double>> figures, String name, double figure) {
        figures.computeIfAbsent(name, unknown -> new ArrayList<>()).add(figure);
    }
}
