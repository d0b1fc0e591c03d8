package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** Sources with a queue: the operator takes from it itself where the source is at its end when it is empty, and only there. */
class FusionTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    @DisplayName("what publishOn has a thread for goes on on that thread, and is not taken by who requests")
    void publishOnKeepsItsThread() {
        Queue<Runnable> line = new ArrayDeque<>();
        Ledger<Integer> ledger = Ledger.unbounded();
        Flux.range(1, 3)
                .publishOn(Schedulers.fromExecutor(line::add))
                .transform(RateLimit.of(Limit.of(5, SECOND)))
                .subscribe(ledger);
        assertThat(ledger.received()).isEmpty();
        for (Runnable task; (task = line.poll()) != null; ) {
            task.run();
        }
        assertThat(ledger.received()).containsExactly(1, 2, 3);
        assertThat(ledger.completed).isTrue();
    }
}
