package dev.weir.samples.crawler;

import java.net.URI;

/** Says in one line why a site cannot be crawled. */
final class UncrawlableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UncrawlableException(URI site, String reason) {
        super("cannot crawl " + site + ": " + reason);
    }
}
