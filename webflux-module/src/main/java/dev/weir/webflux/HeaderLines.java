package dev.weir.webflux;

import java.util.ArrayList;
import java.util.List;
import org.springframework.http.HttpHeaders;

/** The lines of a header field. */
final class HeaderLines {

    private HeaderLines() {}

    /** Returns all lines of a field, by forEach, as the methods that find a field differ between Spring 6 and 7. */
    static List<String> of(HttpHeaders headers, String name) {
        List<String> lines = new ArrayList<>();
        headers.forEach((field, values) -> {
            if (field.equalsIgnoreCase(name)) {
                lines.addAll(values);
            }
        });
        return lines;
    }

    /** Returns all lines of a field as one. */
    static String joined(HttpHeaders headers, String name) {
        return String.join(", ", of(headers, name));
    }
}
