package dev.weir.webflux;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The name of a limit as clients see it, the same in header fields and in the body. Strings of RFC 9651 are printable ASCII, so any
 * other character, and the percent sign itself, is percent-encoded as its UTF-8 bytes, as in a URI: otherwise one
 * name could read as another is written.
 */
final class PolicyName {

    private PolicyName() {}

    static String of(String name) {
        StringBuilder written = new StringBuilder();
        name.codePoints().forEach(letter -> {
            if (letter >= ' ' && letter <= '~' && letter != '%') {
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
