package dev.weir.samples.crawler;

import static dev.weir.samples.crawler.CrawlReport.inSeconds;

import dev.weir.limit.SlidingWindowLog;
import dev.weir.samples.Failure;
import java.io.PrintStream;
import java.net.URI;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The command: parses the arguments, runs the crawl and determines the exit code. */
public final class CrawlCommand {

    private static final int DONE = 0;
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
     * @param args the command line arguments
     * @param out where progress and report are printed
     * @param err where errors are printed
     * @return the exit code: 0 when done, 1 if the site cannot be crawled, 2 for invalid arguments
     */
    public static Mono<Integer> run(String[] args, PrintStream out, PrintStream err) {
        try {
            CrawlArguments arguments = CrawlArguments.parse(args);
            if (arguments.help()) {
                out.print(CrawlArguments.USAGE);
                return Mono.just(DONE);
            }
            return new CrawlCommand(arguments, out)
                    .run()
                    .thenReturn(DONE)
                    .onErrorResume(error -> Mono.just(Failure.print(error, err)));
        } catch (IllegalArgumentException wrong) {
            err.println(wrong.getMessage());
            err.print(CrawlArguments.USAGE);
            return Mono.just(MISUSED);
        }
    }

    private Mono<Void> run() {
        return Mono.using(Fetcher::new, this::run, Fetcher::close);
    }

    private Mono<Void> run(Fetcher fetcher) {
        return arguments
                .url()
                .map(url -> run(fetcher, url, Optional.empty()))
                .orElseGet(() -> Mono.usingWhen(
                        Site.open(arguments.limit()),
                        site -> run(fetcher, site.home(), Optional.of(site.log())),
                        Site::close));
    }

    private Mono<Void> run(Fetcher fetcher, URI start, Optional<RequestLog> server) {
        Rehearsal rehearsal = new Rehearsal(this::pages, arguments.newestFirst());
        return fetcher.robots(start)
                .filter(robots -> robots.allows(start))
                .switchIfEmpty(Mono.error(new UncrawlableException(start, "robots.txt asks crawlers to stay away")))
                .flatMap(robots -> {
                    Frontier frontier = new Frontier(start, robots::allows, arguments.pages());
                    SlidingWindowLog limit = robots.slowed(arguments.limit());
                    announce(start, limit, robots);
                    return rehearsal
                            .overHttp(fetcher)
                            .then(rehearsal.inMemory())
                            .then(server.isPresent() ? fetcher.connect(start) : Mono.empty())
                            .then(report(crawl(frontier, limit, fetcher), server));
                });
    }

    private Mono<Void> report(Crawl crawl, Optional<RequestLog> server) {
        Progress progress = new Progress(crawl.pages(), out);
        return pages(crawl)
                .doOnNext(progress::finished)
                .filter(page -> !page.isOk())
                .collectMap(Page::path, Page::outcome)
                .doOnNext(problems -> {
                    progress.end();
                    new CrawlReport(crawl.limit(), crawl.log(), server).print(problems, out);
                })
                .then();
    }

    private Crawl crawl(Frontier frontier, SlidingWindowLog limit, Fetcher fetcher) {
        int pages = arguments.pages();
        return new Crawl(frontier, limit, pages, arguments.newestFirst(), new RequestLog(), fetcher::fetch);
    }

    private Flux<Page> pages(Crawl crawl) {
        return arguments.rx() ? Flux.from(RxJavaCrawl.pages(crawl)) : ReactorCrawl.pages(crawl);
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
}
