package dev.weir.benchmarks.shaping;

import dev.weir.benchmarks.Figures;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Measures one contender at one rate. Arguments: contender, shape, elements a second, milliseconds to warm up and to measure. */
public final class ShapingRun {

    /** Of what may pass; some let more. */
    private static final int MOST_TIMES = 4;

    private ShapingRun() {}

    public static void main(String[] arguments) {
        ShaperContender contender = ShaperContender.valueOf(arguments[0]);
        Rate rate = new Rate(Integer.parseInt(arguments[2]), Rate.Shape.valueOf(arguments[1]));
        Figures.tell(measure(contender, rate, Integer.parseInt(arguments[3]), Integer.parseInt(arguments[4])));
    }

    static Map<String, Double> measure(ShaperContender contender, Rate rate, int warmupMillis, int millis) {
        Shaper shaper = contender.shaper(rate);
        int mostElements = Math.toIntExact((long) MOST_TIMES * rate.perSecond() * millis / 1_000);
        Timeline timeline = new Timeline(
                TimeUnit.MILLISECONDS.toNanos(warmupMillis), TimeUnit.MILLISECONDS.toNanos(millis), mostElements);
        shaper.run(timeline);

        Punctuality punctuality = new Punctuality(timeline.times(), rate, contender.slack(rate));
        Figures figures = new Figures()
                .put("elements", timeline.times().length)
                .put("reached", punctuality.reached())
                .put("worstWindow", punctuality.worstWindow())
                .put("cpu", timeline.cpuShare());
        putPercentiles(figures, "behind", punctuality.behindSchedule());
        putPercentiles(figures, "late", punctuality.afterPermitted());
        return figures.all();
    }

    private static void putPercentiles(Figures figures, String name, long[] ascending) {
        figures.put(name + "P50", Punctuality.percentile(ascending, 50))
                .put(name + "P99", Punctuality.percentile(ascending, 99))
                .put(name + "Max", Punctuality.percentile(ascending, 100));
    }
}
