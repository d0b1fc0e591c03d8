package dev.weir.benchmarks.decision;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;

/** The time that one decision takes, as the thread sees it that asks. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
public class DecisionBenchmark {

    @Param
    public Contender contender;

    @Param
    public Outcome outcome;

    private Decision decision;

    @Setup
    public void prepare() {
        decision = contender.decision(outcome);
    }

    /** Counts the answer, so that it is known afterwards that the work was done. */
    @Benchmark
    public void decide(Answers answers) {
        if (decision.tryTake()) {
            answers.granted++;
        } else {
            answers.refused++;
        }
    }

    /** The answers that a thread got in one iteration. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Answers {

        public long granted;

        public long refused;

        /**
         * Fails if the answers were others than expected. Between threads a request may be refused by right where all would
         * be granted one after the other: when it read the clock before one that was granted.
         */
        @TearDown
        public void check(DecisionBenchmark asked, BenchmarkParams run) {
            boolean expected = asked.outcome == Outcome.REFUSED
                    ? granted == 0 && refused > 0
                    : granted > 0 && (refused == 0 || run.getThreads() > 1);
            if (!expected) {
                throw new IllegalStateException(asked.contender + " granted " + granted + " and refused " + refused);
            }
        }
    }
}
