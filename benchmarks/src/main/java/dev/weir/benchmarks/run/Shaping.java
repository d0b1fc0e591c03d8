package dev.weir.benchmarks.run;

import dev.weir.benchmarks.report.Rows;
import dev.weir.benchmarks.shaping.Rate;
import dev.weir.benchmarks.shaping.ShaperContender;
import dev.weir.benchmarks.shaping.ShapingRun;
import java.util.List;
import java.util.Map;

/** D, streams shaped in real time. */
final class Shaping implements Section {

    private static final int[] PER_SECOND = {1_000, 10_000, 50_000};

    @Override
    public void measure(Rows rows, Effort effort) {
        for (Rate.Shape shape : Rate.Shape.values()) {
            for (int perSecond : PER_SECOND) {
                for (ShaperContender contender : ShaperContender.values()) {
                    if (contender.knows(shape)) {
                        measure(rows, effort, contender, shape, perSecond);
                    }
                }
            }
        }
    }

    private static void measure(Rows rows, Effort effort, ShaperContender contender, Rate.Shape shape, int perSecond) {
        Map<String, Double> figures = Machines.run(
                contender.kind(),
                List.of("-Xms1g"),
                ShapingRun.class,
                contender,
                shape,
                perSecond,
                effort.shapingWarmupMillis(),
                effort.shapingMillis());
        rows.add(
                "D",
                contender.name(),
                contender.label(),
                contender.kind(),
                Map.of("shape", shape.name(), "perSecond", Integer.toString(perSecond)),
                Once.of(figures));
    }
}
