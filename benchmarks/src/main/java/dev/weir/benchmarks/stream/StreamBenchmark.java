package dev.weir.benchmarks.stream;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The time that one element takes in a stream of a million. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
public class StreamBenchmark {

    static final int ELEMENTS = 1_000_000;

    @Param
    public StreamContender contender;

    private Pipe pipe;

    @Setup
    public void prepare() {
        pipe = contender.pipe();
    }

    @Benchmark
    @OperationsPerInvocation(ELEMENTS)
    public long pass() {
        long arrived = pipe.pass(ELEMENTS);
        if (arrived != ELEMENTS) {
            throw new IllegalStateException(contender + " let " + arrived + " of " + ELEMENTS + " elements pass");
        }
        return arrived;
    }
}
