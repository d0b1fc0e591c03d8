package dev.weir.samples.crawler;

import java.net.URI;

/** Says in one line why a site cannot be crawled. */
final class UnreachableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UnreachableException(URI site, String reason) {
        super("cannot crawl " + site + ": " + reason);
    }
}
