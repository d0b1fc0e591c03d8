package dev.weir.samples.llm;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.reactor.RateLimit;
import dev.weir.stream.StreamOptions;
import dev.weir.time.TimeSource;
import java.util.function.Consumer;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * A language model behind a budget. A request first takes its estimated cost; when the answer arrives, the lease is settled
 * for the actual cost. A 429 pauses all requests for as long as the server says, and the request takes permits again.
 */
final class BudgetedModel {

    private final Function<String, Mono<Answer>> model;
    private final RateLimiter budget;
    private final TimeSource clock;
    private final StreamOptions options;
    private final Consumer<Exchange> log;

    BudgetedModel(
            Function<String, Mono<Answer>> model,
            RateLimiter budget,
            TimeSource clock,
            StreamOptions options,
            Consumer<Exchange> log) {
        this.model = model;
        this.budget = budget;
        this.clock = clock;
        this.options = options;
        this.log = log;
    }

    /** Returns the number of tokens that a prompt used. */
    Mono<Integer> ask(String prompt, int estimate) {
        return RateLimit.withLease(budget, estimate, lease -> exchange(prompt, lease), options)
                .filter(answer -> !answer.isRefusal())
                .repeatWhenEmpty(refusals -> refusals)
                .map(Answer::tokens);
    }

    private Mono<Answer> exchange(String prompt, Lease lease) {
        long permitNanos = clock.nanoTime();
        return model.apply(prompt)
                .doOnNext(answer -> settle(lease, answer))
                .doOnNext(answer -> log.accept(new Exchange(prompt, permitNanos, lease.permits(), answer)));
    }

    private void settle(Lease lease, Answer answer) {
        if (answer.isRefusal()) {
            budget.pauseFor(
                    answer.retryAfter()); // before the permits come back, or a waiting request takes them at once
        }
        lease.settle(answer.tokens());
    }
}
