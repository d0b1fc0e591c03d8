package dev.weir.samples.llm;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.samples.Failure;
import dev.weir.samples.NoArguments;
import dev.weir.stream.StreamOptions;
import dev.weir.time.TimeSource;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;

/** The command: sends a model more requests than it allows, and prints every exchange. */
public final class LlmCommand {

    private static final Duration PERIOD = Duration.ofSeconds(2);
    private static final int PROMPTS = 12;
    static final int ESTIMATE = 150;

    /** The documented limits that the client observes: 600 tokens and 6 requests in 2 seconds. */
    static final Limit BUDGET =
            Limit.allOf(Limit.tokenBucket(600, 600, PERIOD), Limit.of(6, PERIOD).countingCalls());

    /** The limit that the model actually enforces. */
    private static final Limit ALLOWED = Limit.of(5, PERIOD);

    private final PrintStream out;
    private final TimeSource clock = TimeSource.system();
    private final long begin = clock.nanoTime();

    private LlmCommand(PrintStream out) {
        this.out = out;
    }

    /**
     * Sends the requests without blocking.
     *
     * @param args none, or {@code --help}
     * @param out where the exchanges are printed
     * @param err where errors are printed
     * @return the exit code: 0, 1 after an error, which is printed, or 2 for invalid arguments
     */
    public static Mono<Integer> run(String[] args, PrintStream out, PrintStream err) {
        if (args.length > 0) {
            return Mono.just(NoArguments.explain("LlmClient", args, out, err));
        }
        return Mono.usingWhen(StubModel.open(ALLOWED), stub -> new LlmCommand(out).ask(stub.url()), StubModel::close)
                .thenReturn(0)
                .onErrorResume(error -> Mono.just(Failure.print(error, err)));
    }

    private Mono<Void> ask(String url) {
        out.printf("%d questions; the client keeps to 600 tokens and 6 requests per 2 s,%n", PROMPTS);
        out.printf("the model stops it at 5 requests. Times are in seconds.%n%n");
        out.printf("   left  answered  status  estimated  used  prompt%n");
        RateLimiter budget = RateLimiter.of(BUDGET);
        HttpModel http = new HttpModel(url, HttpClient.create());
        BudgetedModel model = new BudgetedModel(http::complete, budget, clock, StreamOptions.defaults(), this::print);
        return Flux.range(1, PROMPTS)
                .flatMap(number -> model.ask("question " + number, ESTIMATE))
                .reduce(Integer::sum)
                .doOnNext(
                        tokens -> out.printf(Locale.ROOT, "%n%d tokens in %.1f s%n", tokens, seconds(clock.nanoTime())))
                .doFinally(end -> budget.close())
                .then();
    }

    private void print(Exchange exchange) {
        out.printf(
                Locale.ROOT,
                "%7.3f  %8.3f  %6d  %9d  %4d  %s%n",
                seconds(exchange.permitNanos()),
                seconds(clock.nanoTime()),
                exchange.answer().status(),
                exchange.estimate(),
                exchange.answer().tokens(),
                exchange.prompt());
    }

    private double seconds(long nanos) {
        return (nanos - begin) / 1e9;
    }
}
