package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/**
 * Calls of a kind that wait before a door, from which one at a time joins the queue of a limit that all share: others wait for one
 * of them at most, and who all have a door take turns.
 */
class OneAtTheDoorTest {

    private static final int RATE = 10;
    private static final int MANY = 100;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final StreamOptions HERE = StreamOptions.defaults().emitOn(Runnable::run);

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final RateLimiter budget = RateLimiter.builder(Limit.allOf(Limit.of(RATE, SECOND), Limit.concurrency(RATE)))
            .timeSource(time)
            .build();
    private final PartitionedRateLimiter<String> doors = PartitionedRateLimiter.of(Limit.concurrency(1));
    private final List<String> begun = new ArrayList<>();
    private final List<Disposable> calls = new ArrayList<>();

    private void call(String who) {
        calls.add(RateLimit.withLease(
                        doors.forKey(who),
                        1,
                        door -> RateLimit.withLease(
                                budget,
                                1,
                                lease -> {
                                    door.close();
                                    return answer(who);
                                },
                                HERE),
                        HERE)
                .subscribe());
    }

    private void callAtOnce(String who) {
        calls.add(RateLimit.withLease(budget, 1, lease -> answer(who), HERE).subscribe());
    }

    private Mono<String> answer(String who) {
        return Mono.fromSupplier(() -> {
            begun.add(who);
            return who;
        });
    }

    private void callOften(String who, int times) {
        Collections.nCopies(times, who).forEach(this::call);
    }

    @Test
    @DisplayName("who has no door waits behind one call at most of those who have")
    void urgent() {
        callOften("batch", MANY);
        time.advanceBy(SECOND.multipliedBy(2).plusMillis(500));
        assertThat(begun).hasSize(3 * RATE);
        callAtOnce("urgent");
        time.advanceBy(SECOND);
        assertThat(begun.subList(3 * RATE, 3 * RATE + 2)).contains("urgent");
        time.advanceBy(SECOND.multipliedBy(10));
        assertThat(begun).hasSize(MANY + 1);
    }

    @Test
    @DisplayName("who ask little are served between those who ask much, however many these have asked for before")
    void fair() {
        callOften("much", MANY);
        callOften("little", RATE);
        time.advanceBy(SECOND.multipliedBy(2));
        assertThat(begun.subList(RATE, begun.size()))
                .filteredOn("little"::equals)
                .hasSize(RATE);
        time.advanceBy(SECOND.multipliedBy(10));
        assertThat(begun).hasSize(MANY + RATE);
    }

    @Test
    @DisplayName(
            "calls that are cancelled before the door, behind it or while they wait for the budget leave room for all others")
    void cancelled() {
        callOften("batch", MANY);
        for (int i = 0; i < MANY; i += 2) {
            calls.get(i).dispose();
        }
        time.advanceBy(SECOND.multipliedBy(12));
        assertThat(calls).allMatch(Disposable::isDisposed);
        assertThat(begun).hasSize(RATE + (MANY - RATE) / 2);
        assertThat(doors.forKey("batch").availablePermits()).isOne();
        assertThat(budget.availablePermits()).isEqualTo(RATE);
    }
}
