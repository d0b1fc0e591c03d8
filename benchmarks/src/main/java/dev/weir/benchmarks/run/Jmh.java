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

/** Runs one setting of a benchmark in a virtual machine of its own. */
final class Jmh {

    private static final String ALLOCATED = "gc.alloc.rate.norm";

    private Jmh() {}

    /**
     * Returns nanoseconds and bytes for each operation of each iteration, and whatever the benchmark counts beside.
     *
     * @throws IllegalStateException if the benchmark fails, its checks included
     */
    static Map<String, List<Double>> run(Class<?> benchmark, Map<String, String> parameters, int threads, int iterations, int millis) {
        TimeValue time = TimeValue.milliseconds(millis);
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("^" + benchmark.getName().replace(".", "\\.") + "\\.")
                .threads(threads)
                .forks(1)
                .warmupIterations(iterations)
                .warmupTime(time)
                .measurementIterations(iterations)
                .measurementTime(time)
                .addProfiler(GCProfiler.class)
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT);
        parameters.forEach(options::param);
        try {
            return figures(new Runner(options.build()).runSingle());
        } catch (RunnerException e) {
            throw new IllegalStateException(parameters.toString(), e);
        }
    }

    private static Map<String, List<Double>> figures(RunResult run) {
        Map<String, List<Double>> figures = new LinkedHashMap<>();
        for (BenchmarkResult fork : run.getBenchmarkResults()) {
            for (IterationResult iteration : fork.getIterationResults()) {
                add(figures, "nanos", iteration.getPrimaryResult());
                iteration.getSecondaryResults().forEach((name, result) -> {
                    if (name.equals(ALLOCATED)) {
                        add(figures, "bytes", result);
                    } else if (!name.startsWith("gc.")) {
                        add(figures, name, result);
                    }
                });
            }
        }
        return figures;
    }

    private static void add(Map<String, List<Double>> figures, String name, Result<?> result) {
        figures.computeIfAbsent(name, unknown -> new ArrayList<>()).add(result.getScore());
    }
}
