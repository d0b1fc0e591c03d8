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

    /** The compiler is at work for longer than others need. */
    private static final int WARMUPS = 3;

    /** Over a second, what the machine does once in a while would decide which is the latest hundredth. */
    private static final int PARTS = 3;

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
                WARMUPS * effort.shapingWarmupMillis(),
                PARTS * effort.shapingMillis());
        rows.add(
                "D",
                contender,
                Map.of("shape", shape.name(), "perSecond", Integer.toString(perSecond)),
                Once.of(figures));
    }
}
