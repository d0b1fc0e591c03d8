package dev.weir.benchmarks.report;

import java.util.Locale;

/**
 * A target, and how far it was reached.
 *
 * @param what is compared
 * @param measured the figure
 * @param relation how it is to be to the bound
 * @param bound what it is held against
 */
record Check(String what, double measured, Relation relation, double bound) {

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
        return new Check(what, measured, Relation.AT_MOST, bound);
    }

    static Check atLeast(String what, double measured, double bound) {
        return new Check(what, measured, Relation.AT_LEAST, bound);
    }

    boolean isMet() {
        return relation == Relation.AT_MOST ? measured <= bound : measured >= bound;
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s %s (%s %s)", what, number(measured), relation.words, number(bound));
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
