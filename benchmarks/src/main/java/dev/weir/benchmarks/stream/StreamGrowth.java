package dev.weir.benchmarks.stream;

import dev.weir.benchmarks.Figures;
import dev.weir.benchmarks.Growth;
import java.util.Map;

/** From a short stream to one a thousand times as long. Arguments: contender, the length of the shortest. */
public final class StreamGrowth {

    private StreamGrowth() {}

    public static void main(String[] arguments) {
        Figures.tell(measure(StreamContender.valueOf(arguments[0]), Integer.parseInt(arguments[1])));
    }

    static Map<String, Double> measure(StreamContender contender, int least) {
        Pipe pipe = contender.pipe();
        return new Growth(elements -> {
                    long arrived = pipe.pass(elements);
                    if (arrived != elements) {
                        throw new IllegalStateException("only " + arrived + " of " + elements + " arrived");
                    }
                })
                .measure(least);
    }
}
