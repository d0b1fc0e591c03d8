package dev.weir.benchmarks.report;

import java.util.List;
import java.util.Locale;

/** A drawing in SVG, piece by piece. */
final class Chart {

    private static final List<String> COLOURS =
            List.of("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999");

    private final StringBuilder svg = new StringBuilder();

    Chart(int width, int height, String title) {
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">",
                width, height);
        add("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
        text(width / 2.0, 20, "middle", title);
    }

    static String colour(int number) {
        return COLOURS.get(number % COLOURS.size());
    }

    void text(double x, double y, String anchor, String text) {
        String escaped = text.replace("&", "&amp;").replace("<", "&lt;");
        add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", x, y, anchor, escaped);
    }

    void line(double x1, double y1, double x2, double y2, String colour, double width) {
        add(
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%.1f\"/>",
                x1, y1, x2, y2, colour, width);
    }

    void bar(double x, double y, double width, double height, String colour) {
        add("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>", x, y, width, height, colour);
    }

    void dot(double x, double y, String colour) {
        add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>", x, y, colour);
    }

    private void add(String format, Object... arguments) {
        svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
    }

    @Override
    public String toString() {
        return svg + "</svg>\n";
    }
}
