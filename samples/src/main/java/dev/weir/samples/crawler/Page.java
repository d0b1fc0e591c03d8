package dev.weir.samples.crawler;

import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What came of asking for a URL.
 *
 * @param url what was asked for
 * @param outcome a status, or what went wrong
 * @param links to pages of the same site, in the order in which they were found
 */
record Page(URI url, String outcome, List<URI> links) {

    private static final Pattern ANCHOR =
            Pattern.compile("<a\\s[^>]*?href\\s*=\\s*[\"']([^\"'#]+)", Pattern.CASE_INSENSITIVE);

    /**
     * Reads an answer.
     *
     * @param redirect where it sends us, or empty
     * @param html its text, or empty
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

    /** What a server is asked for: a URL without its site. */
    static String path(URI url) {
        return url.getRawQuery() == null ? url.getRawPath() : url.getRawPath() + "?" + url.getRawQuery();
    }

    /** The page that a link leads to; none if that is elsewhere, or is no address, as happens in the wild. */
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
