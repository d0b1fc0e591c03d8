package dev.weir.samples.crawler;

import static dev.weir.samples.crawler.CrawlReport.inSeconds;

import dev.weir.limit.SlidingWindowLog;
import dev.weir.time.TimeSource;
import java.io.PrintStream;
import java.net.URI;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The command: from the words on the command line to the exit code. */
public final class CrawlCommand {

    private static final int DONE = 0;
    private static final int FAILED = 1;
    private static final int MISUSED = 2;

    private final CrawlArguments arguments;
    private final PrintStream out;

    private CrawlCommand(CrawlArguments arguments, PrintStream out) {
        this.arguments = arguments;
        this.out = out;
    }

    /**
     * Runs a crawl without blocking.
     *
     * @param args what to do
     * @param out where progress and report go
     * @param err where complaints go
     * @return the exit code: 0 when done, 1 when the site cannot be crawled, 2 for arguments that make no sense
     */
    public static Mono<Integer> run(String[] args, PrintStream out, PrintStream err) {
        try {
            CrawlArguments arguments = CrawlArguments.parse(args);
            if (arguments.help()) {
                out.print(CrawlArguments.USAGE);
                return Mono.just(DONE);
            }
            return new CrawlCommand(arguments, out).crawl().thenReturn(DONE).onErrorResume(error -> {
                err.println(error.getMessage());
                return Mono.just(FAILED);
            });
        } catch (BadArgumentException wrong) {
            err.println(wrong.getMessage());
            err.print(CrawlArguments.USAGE);
            return Mono.just(MISUSED);
        }
    }

    private Mono<Void> crawl() {
        return arguments
                .url()
                .map(url -> crawl(url, Optional.empty()))
                .orElseGet(() -> Mono.usingWhen(
                        Site.open(arguments.limit()),
                        site -> crawl(site.home(), Optional.of(site.log())),
                        Site::close));
    }

    private Mono<Void> crawl(URI start, Optional<RequestLog> server) {
        return Mono.using(
                Fetcher::new,
                fetcher -> server.map(own -> fetcher.warmUp(start)).orElse(Mono.empty())
                        .then(fetcher.robots(start))
                        .flatMap(robots -> crawl(start, robots, fetcher, server)),
                Fetcher::close);
    }

    private Mono<Void> crawl(URI start, Robots robots, Fetcher fetcher, Optional<RequestLog> server) {
        if (!robots.allows(start)) {
            return Mono.error(new UnreachableException(start, "robots.txt asks crawlers to stay away"));
        }
        SlidingWindowLog limit = robots.slowed(arguments.limit());
        Frontier frontier = new Frontier(start, robots::allows, arguments.pages());
        RequestLog client = new RequestLog(TimeSource.system());
        Crawl crawl = new Crawl(frontier, limit, arguments.pages(), arguments.newestFirst(), client, fetcher);

        announce(start, limit, robots);
        Progress progress = new Progress(arguments.pages(), out);
        return pages(crawl)
                .doOnNext(progress::finished)
                .filter(page -> !page.isOk())
                .collectMap(Page::path, Page::outcome)
                .doOnNext(problems -> {
                    progress.end();
                    new CrawlReport(limit, client, server).print(problems, out);
                })
                .then();
    }

    private void announce(URI start, SlidingWindowLog limit, Robots robots) {
        String library = arguments.rx() ? "RxJava" : "Reactor";
        out.printf("Crawling %s on %s: %d pages", start, library, arguments.pages());
        out.printf(", at most %d in any %s", limit.permits(), inSeconds(limit.period()));
        robots.crawlDelay().ifPresent(delay -> {
            String verdict = limit.equals(arguments.limit()) ? "kept on average" : "slower than asked for";
            out.printf(" (crawl delay of robots.txt: %s, %s)", inSeconds(delay), verdict);
        });
        out.println();
    }

    private Flux<Page> pages(Crawl crawl) {
        return arguments.rx() ? Flux.from(RxJavaCrawl.pages(crawl)) : ReactorCrawl.pages(crawl);
    }
}
