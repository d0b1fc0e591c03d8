package dev.weir.benchmarks.stream;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.CompilerControl;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * The time that one element takes in a stream of a million. From iteration to iteration the stream takes turns with a million
 * readings of the clock, which go first: how fast the machine is changes within seconds, and for both alike.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
public class StreamBenchmark {

    static final int ELEMENTS = 1_000_000;

    @Param
    public StreamContender contender;

    /** A profile is of the contender alone. */
    @Param("true")
    public boolean takesTurns;

    private Pipe pipe;

    private boolean isYardsticksTurn;

    @Setup
    public void prepare() {
        pipe = contender.pipe();
    }

    @Setup(Level.Iteration)
    public void takeTurns() {
        isYardsticksTurn = takesTurns && !isYardsticksTurn;
    }

    @Benchmark
    @OperationsPerInvocation(ELEMENTS)
    public long pass() {
        return isYardsticksTurn ? readings() : elements();
    }

    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    public long readings() {
        long sum = 0;
        for (int i = 0; i < ELEMENTS; i++) {
            sum += System.nanoTime();
        }
        return sum;
    }

    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    public long elements() {
        long arrived = pipe.pass(ELEMENTS);
        if (arrived != ELEMENTS) {
            throw new IllegalStateException(contender + " let " + arrived + " of " + ELEMENTS + " elements pass");
        }
        return arrived;
    }
}
