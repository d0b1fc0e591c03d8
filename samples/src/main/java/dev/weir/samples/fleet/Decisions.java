package dev.weir.samples.fleet;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Who granted the pages of a node.
 *
 * @param remote how many were granted by the store
 * @param alone how many by the node on its own, as the store did not answer in time
 */
record Decisions(int remote, int alone) {

    static final Decisions NONE = new Decisions(0, 0);

    private static final Pattern LINE = Pattern.compile("decided remote (\\d+) alone (\\d+)");

    /** As a node says it. */
    String line() {
        return "decided remote " + remote + " alone " + alone;
    }

    /** Reads what {@link #line} wrote; nothing else. */
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
