package dev.weir.samples.crawler;

import java.net.URI;

/** Thrown if a site cannot be crawled, with a message of one line. */
final class UncrawlableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UncrawlableException(URI site, String reason) {
        super("cannot crawl " + site + ": " + reason);
    }
}
