package dev.weir.redis;

/** Parses the integers of a line, separated by single spaces. */
final class NumbersInLine {

    private final String line;
    private int at;

    NumbersInLine(String line) {
        this.line = line;
    }

    boolean hasNext() {
        return at < line.length();
    }

    /**
     * Returns the next integer.
     *
     * @throws NumberFormatException if there is none
     */
    long next() {
        int space = line.indexOf(' ', at);
        int end = space < 0 ? line.length() : space;
        if (at >= end) {
            throw new NumberFormatException("no number at " + at + " of " + line);
        }
        long number = Long.parseLong(line, at, end, 10);
        at = end + 1;
        return number;
    }
}
