package dev.weir.samples.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.stream.StreamOptions;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

class BudgetedModelTest {

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final RateLimiter budget =
            RateLimiter.builder(LlmCommand.BUDGET).timeSource(time).build();
    private final Map<String, Sinks.One<Answer>> sent = new LinkedHashMap<>();
    private final List<Exchange> log = new ArrayList<>();
    private final BudgetedModel model =
            new BudgetedModel(this::send, budget, time, StreamOptions.defaults().emitOn(Runnable::run), log::add);

    @Test
    void noRequestThatWaitsLeavesIntoThePauseThatARefusalBegins() {
        List.of("a", "b", "c", "d", "waiting")
                .forEach(prompt -> model.ask(prompt, LlmCommand.ESTIMATE).subscribe());
        assertThat(sent).containsOnlyKeys("a", "b", "c", "d");

        answer("d", new Answer(Answer.TOO_MANY_REQUESTS, 0, Duration.ofSeconds(3)));
        assertThat(sent).as("in the pause").doesNotContainKey("waiting");

        time.advanceBy(Duration.ofMillis(2_999));
        assertThat(sent).as("right before its end").doesNotContainKeys("waiting", "d");
        time.advanceBy(Duration.ofMillis(1));
        assertThat(sent).as("at its end").containsKeys("waiting", "d");
    }

    @Test
    void whatIsLoggedOfARequestIsWhenItLeft() {
        model.ask("a", LlmCommand.ESTIMATE).subscribe();
        long left = time.nanoTime();
        time.advanceBy(Duration.ofSeconds(1));
        answer("a", new Answer(200, 20, Duration.ZERO));

        assertThat(log).singleElement().extracting(Exchange::permitNanos).isEqualTo(left);
    }

    private Mono<Answer> send(String prompt) {
        Sinks.One<Answer> answer = Sinks.one();
        sent.put(prompt, answer);
        return answer.asMono();
    }

    private void answer(String prompt, Answer answer) {
        sent.remove(prompt).tryEmitValue(answer).orThrow();
    }
}
