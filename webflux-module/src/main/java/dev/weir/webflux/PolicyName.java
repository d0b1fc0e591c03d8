package dev.weir.webflux;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * The name of a limit as clients see it, the same in header fields and in the body. Strings of RFC 9651 are printable ASCII, so any
 * other character, and the percent sign itself, is percent-encoded as its UTF-8 bytes, as in a URI: otherwise one
 * name could read as another is written. UTF-8 has no bytes for an unpaired surrogate, which is written by its code, as in
 * {@code %ud800}; no byte reads like that.
 */
final class PolicyName {

    private PolicyName() {}

    static String of(String name) {
        StringBuilder written = new StringBuilder();
        name.codePoints().forEach(letter -> written.append(written(letter)));
        return written.toString();
    }

    private static String written(int letter) {
        if (letter >= ' ' && letter <= '~' && letter != '%') {
            return Character.toString(letter);
        }
        return Character.getType(letter) == Character.SURROGATE
                ? "%u" + HexFormat.of().toHexDigits((char) letter)
                : HexFormat.of()
                        .withPrefix("%")
                        .formatHex(Character.toString(letter).getBytes(StandardCharsets.UTF_8));
    }
}
