package dev.weir.benchmarks.run;

import dev.weir.benchmarks.report.Rows;
import dev.weir.benchmarks.stream.StreamBenchmark;
import dev.weir.benchmarks.stream.StreamContender;
import java.util.Map;

/** C, elements of streams. */
final class Streams implements Section {

    @Override
    public void measure(Rows rows, Effort effort) {
        for (StreamContender contender : StreamContender.values()) {
            Map<String, String> parameters = Map.of("contender", contender.name());
            rows.add("C", contender, Map.of(), Jmh.run(StreamBenchmark.class, parameters, 1, 1, effort.streams()));
        }
    }
}
