package dev.weir.samples.crawler;

import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The result of requesting a URL.
 *
 * @param url the requested URL
 * @param outcome a status, or what went wrong
 * @param links to pages of the same site, in the order in which they were found
 */
record Page(URI url, String outcome, List<URI> links) {

    private static final Pattern ANCHOR =
            Pattern.compile("<a\\s[^>]*?href\\s*=\\s*[\"']([^\"'#]+)", Pattern.CASE_INSENSITIVE);

    /**
     * Parses a response.
     *
     * @param redirect the target of a redirect, or empty
     * @param html the text of the page, or empty
     */
    static Page read(URI url, int status, String redirect, String html) {
        Stream<String> anchors = ANCHOR.matcher(html).results().map(anchor -> anchor.group(1));
        List<URI> links = Stream.concat(Stream.of(redirect), anchors)
                .flatMap(link -> resolve(url, link).stream())
                .toList();
        return new Page(url, Integer.toString(status), links);
    }

    static Page failed(URI url, String reason) {
        return new Page(url, reason, List.of());
    }

    boolean isOk() {
        return outcome.equals("200");
    }

    String path() {
        return path(url);
    }

    /** Returns the path and query of a URL. */
    static String path(URI url) {
        return url.getRawQuery() == null ? url.getRawPath() : url.getRawPath() + "?" + url.getRawQuery();
    }

    /** Resolves a link; empty if it leads to another site or is not a valid URL. */
    private static Optional<URI> resolve(URI from, String link) {
        if (link.isBlank()) {
            return Optional.empty();
        }
        try {
            return Optional.of(from.resolve(link.strip()))
                    .filter(to -> Objects.equals(to.getScheme(), from.getScheme()))
                    .filter(to -> Objects.equals(to.getRawAuthority(), from.getRawAuthority()));
        } catch (IllegalArgumentException notAnAddress) {
            return Optional.empty();
        }
    }
}
