package dev.weir.webflux;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The name of a limit as clients read it, the same in header fields and in the body: strings of RFC 9651 are of printable ASCII, so
 * whatever else there is in a name is written as its bytes in UTF-8, as in a URI.
 */
final class PolicyName {

    private PolicyName() {}

    static String of(String name) {
        StringBuilder written = new StringBuilder();
        name.codePoints().forEach(letter -> {
            if (letter >= ' ' && letter <= '~') {
                written.append((char) letter);
            } else {
                for (byte part : Character.toString(letter).getBytes(StandardCharsets.UTF_8)) {
                    written.append(String.format(Locale.ROOT, "%%%02x", part));
                }
            }
        });
        return written.toString();
    }
}
