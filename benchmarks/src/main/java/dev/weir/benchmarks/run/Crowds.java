package dev.weir.benchmarks.run;

import dev.weir.benchmarks.Growth;
import dev.weir.benchmarks.crowd.KeyContender;
import dev.weir.benchmarks.crowd.KeysRun;
import dev.weir.benchmarks.crowd.StreamsContender;
import dev.weir.benchmarks.crowd.StreamsRun;
import dev.weir.benchmarks.report.Rows;
import java.util.List;
import java.util.Map;

/** F, many keys, and many streams on one limiter; from a thousandth of them to all. */
final class Crowds implements Section {

    @Override
    public void measure(Rows rows, Effort effort) {
        for (int times : Growth.TIMES) {
            int keys = Math.max(1, effort.waiters() / Growth.MOST_TIMES * times);
            for (KeyContender contender : KeyContender.values()) {
                Map<String, Double> figures = Machines.run(Machines.COUNTING_MEMORY, KeysRun.class, contender, keys);
                rows.add("F", contender, Map.of("keys", Integer.toString(keys)), Once.of(figures));
            }
            int streams = Math.max(1, effort.manyStreams() * times / Growth.MOST_TIMES);
            for (StreamsContender contender : StreamsContender.values()) {
                Map<String, Double> figures = Machines.run(
                        List.of("-Xms1g"),
                        StreamsRun.class,
                        contender,
                        streams,
                        effort.shapingWarmupMillis(),
                        effort.shapingMillis());
                rows.add("F", contender, Map.of("streams", Integer.toString(streams)), Once.of(figures));
            }
        }
    }
}
