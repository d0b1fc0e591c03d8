package dev.weir.benchmarks.report;

import java.util.Collection;
import java.util.Map;
import java.util.NavigableMap;
import java.util.function.ToDoubleFunction;

/** Lines over amounts, with both axes in powers of ten. */
final class Lines {

    private static final int WIDTH = 760;
    private static final int HEIGHT = 360;
    private static final int LEFT = 60;
    private static final int RIGHT = 250;
    private static final int TOP = 36;
    private static final int BOTTOM = 40;

    private final Chart chart;
    private final double leftmost;
    private final double rightmost;
    private final double lowest;
    private final double highest;

    private Lines(String title, Collection<? extends NavigableMap<Integer, Double>> lines) {
        this.chart = new Chart(WIDTH, HEIGHT, title);
        this.leftmost = Math.floor(least(lines, line -> Math.log10(line.firstKey())));
        this.rightmost = Math.ceil(-least(lines, line -> -Math.log10(line.lastKey())));
        this.lowest = Math.floor(least(
                lines,
                line -> line.values().stream().mapToDouble(Math::log10).min().orElse(0)));
        this.highest = Math.max(
                lowest + 1,
                Math.ceil(-least(
                        lines,
                        line -> -line.values().stream()
                                .mapToDouble(Math::log10)
                                .max()
                                .orElse(0))));
    }

    private static double least(
            Collection<? extends NavigableMap<Integer, Double>> lines,
            ToDoubleFunction<NavigableMap<Integer, Double>> of) {
        return lines.stream().mapToDouble(of).min().orElse(0);
    }

    static String draw(String title, String unit, Map<String, NavigableMap<Integer, Double>> lines) {
        Lines drawing = new Lines(title, lines.values());
        drawing.axes(unit);
        int number = 0;
        for (Map.Entry<String, NavigableMap<Integer, Double>> line : lines.entrySet()) {
            drawing.line(line.getKey(), line.getValue(), number++);
        }
        return drawing.chart.toString();
    }

    private void axes(String unit) {
        for (double power = leftmost; power <= rightmost; power++) {
            chart.line(x(power), TOP, x(power), HEIGHT - BOTTOM, "#dddddd", 1);
            chart.text(x(power), HEIGHT - BOTTOM + 16, "middle", Check.number(Math.pow(10, power)));
        }
        for (double power = lowest; power <= highest; power++) {
            chart.line(LEFT, y(power), WIDTH - RIGHT, y(power), "#dddddd", 1);
            chart.text(LEFT - 6, y(power) + 4, "end", Check.number(Math.pow(10, power)));
        }
        chart.text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 6, "middle", unit);
    }

    private void line(String name, NavigableMap<Integer, Double> points, int number) {
        String colour = Chart.colour(number);
        Map.Entry<Integer, Double> before = points.firstEntry();
        for (Map.Entry<Integer, Double> point : points.entrySet()) {
            chart.line(x(before), y(before), x(point), y(point), colour, 2);
            chart.dot(x(point), y(point), colour);
            before = point;
        }
        double y = TOP + 14 + number * 18;
        chart.dot(WIDTH - RIGHT + 16, y - 4, colour);
        chart.text(WIDTH - RIGHT + 26, y, "start", name);
    }

    private double x(Map.Entry<Integer, Double> point) {
        return x(Math.log10(point.getKey()));
    }

    private double y(Map.Entry<Integer, Double> point) {
        return y(Math.log10(point.getValue()));
    }

    private double x(double power) {
        return LEFT + (power - leftmost) / (rightmost - leftmost) * (WIDTH - RIGHT - LEFT);
    }

    private double y(double power) {
        return HEIGHT - BOTTOM - (power - lowest) / (highest - lowest) * (HEIGHT - BOTTOM - TOP);
    }
}
