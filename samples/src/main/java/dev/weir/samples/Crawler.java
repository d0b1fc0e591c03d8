package dev.weir.samples;

import dev.weir.samples.crawler.CrawlCommand;

/** Crawls a website at a limited rate: a small one of its own, or that of {@code --url}. */
public final class Crawler {

    private Crawler() {}

    /**
     * Starts the crawl and returns: no thread waits for its end, which exits the JVM.
     *
     * @param args as {@code --help} explains
     */
    public static void main(String[] args) {
        CrawlCommand.run(args, System.out, System.err).subscribe(System::exit);
    }
}
