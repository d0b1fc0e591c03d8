package dev.weir.benchmarks.report;

import java.util.Map;

/** Bars to the right, one for each name, and a line where they should end. */
final class Bars {

    private static final int WIDTH = 760;
    private static final int LEFT = 260;
    private static final int RIGHT = 60;
    private static final int TOP = 36;
    private static final int STEP = 20;

    private Bars() {}

    static String draw(String title, Map<String, Double> values, double mark, double most) {
        Chart chart = new Chart(WIDTH, TOP + values.size() * STEP + 20, title);
        double scale = (WIDTH - LEFT - RIGHT) / most;
        double y = TOP;
        for (Map.Entry<String, Double> value : values.entrySet()) {
            chart.text(LEFT - 8, y + STEP - 7, "end", value.getKey());
            double shown = Math.min(value.getValue(), most);
            chart.bar(LEFT, y + 3, shown * scale, STEP - 6, Chart.colour(shown > mark + 1e-9 ? 1 : 0));
            chart.text(
                    LEFT + shown * scale + 4,
                    y + STEP - 7,
                    "start",
                    Check.number(Math.rint(value.getValue() * 1_000) / 1_000));
            y += STEP;
        }
        chart.line(LEFT + mark * scale, TOP, LEFT + mark * scale, y, "#000000", 1);
        return chart.toString();
    }
}
