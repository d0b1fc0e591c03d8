package dev.weir.benchmarks.report;

import java.util.Locale;
import java.util.Optional;

/**
 * A target, and how far it was reached.
 *
 * @param what is compared
 * @param measured the figure
 * @param relation how it is to be to the bound
 * @param bound what it is held against
 * @param floor how far that got which it cannot do without, if that was measured
 */
record Check(String what, double measured, Relation relation, double bound, Optional<Floor> floor) {

    /** Who that was, and its figure. */
    record Floor(String label, double measured) {}

    /** How a figure is to be to a bound. */
    enum Relation {
        AT_MOST("at most"),
        AT_LEAST("at least");

        private final String words;

        Relation(String words) {
            this.words = words;
        }
    }

    static Check atMost(String what, double measured, double bound) {
        return new Check(what, measured, Relation.AT_MOST, bound, Optional.empty());
    }

    static Check atLeast(String what, double measured, double bound) {
        return new Check(what, measured, Relation.AT_LEAST, bound, Optional.empty());
    }

    Check beside(String label, Check floor) {
        return new Check(what, measured, relation, bound, Optional.of(new Floor(label, floor.measured)));
    }

    boolean isMet() {
        return isMetBy(measured);
    }

    boolean isMissedByFloor() {
        return floor.filter(least -> !isMetBy(least.measured())).isPresent();
    }

    private boolean isMetBy(double figure) {
        return relation == Relation.AT_MOST ? figure <= bound : figure >= bound;
    }

    @Override
    public String toString() {
        return text("");
    }

    /** As text, with what the floor got. */
    String besideFloor() {
        return text(floor.map(least -> "; " + least.label() + ": " + number(least.measured()))
                .orElse(""));
    }

    private String text(String ofFloor) {
        return String.format(
                Locale.ROOT, "%s %s (%s %s%s)", what, number(measured), relation.words, number(bound), ofFloor);
    }

    /** Exact where it counts: next to one. */
    static String number(double number) {
        double size = Math.abs(number);
        String format = size >= 100 || number == Math.rint(number)
                ? "%,.0f"
                : size >= 10 ? "%.1f" : size >= 2 ? "%.2f" : "%.4f";
        String text = String.format(Locale.ROOT, format, number);
        return text.contains(".") ? text.replaceAll("0+$", "").replaceAll("\\.$", "") : text;
    }
}
