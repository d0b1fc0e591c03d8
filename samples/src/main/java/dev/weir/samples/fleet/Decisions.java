package dev.weir.samples.fleet;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How many pages of a node were granted by the store and how many by the node itself.
 *
 * @param remote how many were granted by the store
 * @param alone how many were granted by the node itself, as the store did not answer in time
 */
record Decisions(int remote, int alone) {

    static final Decisions NONE = new Decisions(0, 0);

    private static final Pattern LINE = Pattern.compile("decided remote (\\d+) alone (\\d+)");

    /** Formats the line that a node prints. */
    String line() {
        return "decided remote " + remote + " alone " + alone;
    }

    /** Parses what {@link #line} returns; empty for anything else. */
    static Optional<Decisions> read(String line) {
        Matcher matcher = LINE.matcher(line);
        return matcher.matches()
                ? Optional.of(new Decisions(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2))))
                : Optional.empty();
    }

    Decisions plus(Decisions others) {
        return new Decisions(remote + others.remote, alone + others.alone);
    }
}
