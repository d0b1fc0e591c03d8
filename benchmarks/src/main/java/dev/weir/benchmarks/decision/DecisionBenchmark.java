package dev.weir.benchmarks.decision;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.CompilerControl;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;

/**
 * The time that some decisions in a row take, as the thread sees it that asks. Rows are short, so that what other
 * programs do falls on few of them. From iteration to iteration the contender takes turns with what nobody can do without,
 * which goes first: how fast the machine is changes within seconds, and for both alike.
 */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
public class DecisionBenchmark {

    public static final int IN_A_ROW = 1_000;

    @Param
    public Contender contender;

    @Param
    public Outcome outcome;

    /** A profile is of the contender alone. */
    @Param("true")
    public boolean takesTurns;

    private Decision yardstick;

    private Decision decision;

    private boolean isYardsticksTurn;

    @Setup
    public void prepare() {
        yardstick = Contender.CLOCK_AND_CAS.decision(outcome);
        decision = contender.decision(outcome);
    }

    @Setup(Level.Iteration)
    public void takeTurns() {
        isYardsticksTurn = takesTurns && !isYardsticksTurn;
    }

    /** Counts the answers, so that it is known afterwards that the work was done. */
    @Benchmark
    public void decide(Answers answers) {
        int granted = isYardsticksTurn ? yardsticksRow() : contendersRow();
        answers.granted += granted;
        answers.refused += IN_A_ROW - granted;
    }

    /** A loop of its own, compiled on its own, as the contender's: what is inlined into one is nothing to the other. */
    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    public int yardsticksRow() {
        int granted = 0;
        for (int i = 0; i < IN_A_ROW; i++) {
            granted += yardstick.tryTake() ? 1 : 0;
        }
        return granted;
    }

    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    public int contendersRow() {
        int granted = 0;
        for (int i = 0; i < IN_A_ROW; i++) {
            granted += decision.tryTake() ? 1 : 0;
        }
        return granted;
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
        @TearDown(Level.Iteration)
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
