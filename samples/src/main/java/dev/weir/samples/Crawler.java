package dev.weir.samples;

import dev.weir.samples.crawler.CrawlCommand;

/** Crawls a website at a limited rate: a small built-in one, or that of {@code --url}. */
public final class Crawler {

    private Crawler() {}

    /**
     * Starts the crawl and returns without blocking; the JVM exits when the crawl ends.
     *
     * @param args as {@code --help} explains
     */
    public static void main(String[] args) {
        CrawlCommand.run(args, System.out, System.err).subscribe(System::exit);
    }
}
