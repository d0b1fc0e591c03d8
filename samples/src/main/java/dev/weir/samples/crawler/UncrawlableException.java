package dev.weir.samples.crawler;

import dev.weir.samples.SampleException;
import java.net.URI;

/** Thrown if a site cannot be crawled. */
final class UncrawlableException extends SampleException {

    private static final long serialVersionUID = 1L;

    UncrawlableException(URI site, String reason) {
        super("cannot crawl " + site + ": " + reason);
    }
}
