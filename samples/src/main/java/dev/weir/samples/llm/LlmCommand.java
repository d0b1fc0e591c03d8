package dev.weir.samples.llm;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;

/** The command: asks a model more than it likes, and prints every exchange. */
public final class LlmCommand {

    private static final Duration PERIOD = Duration.ofSeconds(2);
    private static final int PROMPTS = 12;
    private static final int ESTIMATE = 150;

    /** What the client was told: 600 tokens and 6 requests in 2 seconds. */
    private static final Limit BUDGET =
            Limit.allOf(Limit.tokenBucket(600, 600, PERIOD), Limit.of(6, PERIOD).countingCalls());

    /** What the model really allows. */
    private static final Limit ALLOWED = Limit.of(5, PERIOD);

    private LlmCommand() {}

    /**
     * Asks without blocking.
     *
     * @param out where the exchanges go
     * @return the exit code
     */
    public static Mono<Integer> run(PrintStream out) {
        return Mono.usingWhen(StubModel.open(ALLOWED), model -> ask(model, out), StubModel::close)
                .thenReturn(0);
    }

    private static Mono<Void> ask(StubModel stub, PrintStream out) {
        TimeSource clock = TimeSource.system();
        long begin = clock.nanoTime();
        out.printf(
                "%d questions; 600 tokens and 6 requests in any 2 s, says the client; 5 requests, says the model%n%n",
                PROMPTS);
        out.println("seconds  status  estimated  used  prompt");
        RateLimiter budget = RateLimiter.of(BUDGET);
        BudgetedModel model = new BudgetedModel(
                stub.url(),
                HttpClient.create(),
                budget,
                exchange -> out.printf(
                        Locale.ROOT,
                        "%7.3f  %6d  %9d  %4d  %s%n",
                        (clock.nanoTime() - begin) / 1e9,
                        exchange.status(),
                        exchange.estimate(),
                        exchange.tokens(),
                        exchange.prompt()));
        return Flux.range(1, PROMPTS)
                .flatMap(number -> model.ask("question " + number, ESTIMATE))
                .reduce(Integer::sum)
                .doOnNext(tokens -> out.printf(
                        "%n%d tokens in %.1f s; %s%n", tokens, (clock.nanoTime() - begin) / 1e9, budget.statistics()))
                .doFinally(end -> budget.close())
                .then();
    }
}
