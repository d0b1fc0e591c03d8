package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Waits that are longer than a bucket can count ahead: what is booked then, and who waits without a booking. */
class UnbookableWaitsTest extends ScriptsOnAServer {

    @Test
    @DisplayName("of several limits, nothing is booked for later than each of them can count up to")
    void beyondReach() {
        Duration month = Duration.ofDays(30);
        long monthMicros = month.toNanos() / 1000;
        for (int pace : new int[] {1_000, 3_001, 999_983}) {
            Limit limit = Limit.allOf(Limit.tokenBucket(1_000, pace, Duration.ofSeconds(1)), Limit.of(2_000, month));
            host.flush();
            assertThat(ask(limit, Questions.take(1_000), BEGIN).granted()).isEqualTo(1_000);
            assertThat(ask(limit, Questions.take(1_000), BEGIN + 2_000_000).granted())
                    .isEqualTo(1_000);
            Answer answer = ask(limit, Questions.book(1_000, 1, 0), BEGIN + 2_000_000);
            int booked =
                    answer.bookings().stream().mapToInt(Answer.Booking::permits).sum();
            assertThat(answer.waitNanos() == 0).as("%s", answer).isEqualTo(booked > 0);
            Answer due = ask(limit, Questions.take(1_000), BEGIN + 2_000_000 + monthMicros);
            assertThat(due.granted()).as("%s: %s", limit, answer).isLessThanOrEqualTo(1_000 - booked);
        }
    }

    @Test
    @DisplayName("of a single bucket, too: what is booked comes as fast as it fills, or is not booked")
    void beyondReachOfOne() {
        checkPace(Limit.tokenBucket(1_000_000, 999_983, Duration.ofHours(1)), Duration.ofHours(1));
        Duration decades = Duration.ofDays(25_000);
        checkPace(Limit.tokenBucket(1, 1, decades), decades);
        checkPace(Limit.leakyBucket(1, decades), decades);
    }

    private static void checkPace(Limit limit, Duration untilFull) {
        host.flush();
        int all = limit.capacity();
        assertThat(ask(limit, Questions.take(all), BEGIN).granted()).isEqualTo(all);
        long latest = 0;
        for (int i = 0; i < 3; i++) {
            Answer answer = ask(limit, Questions.book(all, 1, 0), BEGIN);
            if (answer.bookings().isEmpty()) {
                assertThat(answer.waitNanos()).as("%s", answer).isPositive();
            } else {
                long due = answer.bookings().get(0).inNanos();
                assertThat(due - latest).as("%s", answer).isGreaterThanOrEqualTo(untilFull.toNanos());
                latest = due;
            }
        }
        assertThat(latest).isPositive();
    }

    @Test
    @DisplayName("a request whose wait is too long to book asks again at half of it, and is served in time")
    void askedAgainInTime() {
        Limit limit =
                Limit.allOf(Limit.tokenBucket(1, 999_983, Duration.ofSeconds(1)), Limit.of(1, Duration.ofDays(1)));
        VirtualTimeSource time = new VirtualTimeSource();
        ScriptStore scripts = new ScriptStore(host, "test", time);
        AtomicInteger questions = new AtomicInteger();
        Store counted = (kept, question, listener) -> {
            questions.incrementAndGet();
            scripts.ask(kept, question, listener);
        };
        RateLimiter limiter = ModelFleet.builder(limit, counted, WhenUnavailable.REFUSE)
                .timeSource(time)
                .build();
        assertThat(limiter.acquire().join().isAcquired()).isTrue();
        CompletableFuture<Lease> waiting = limiter.acquire();
        time.advanceBy(Duration.ofSeconds(1));
        assertThat(questions).hasValueLessThan(5);
        time.advanceBy(Duration.ofDays(1).minusSeconds(1).minusNanos(1));
        assertThat(questions).hasValueLessThan(20);
        assertThat(waiting).isNotDone();
        time.advanceBy(Duration.ofNanos(1));
        assertThat(waiting).isCompletedWithValueMatching(Lease::isAcquired);
    }
}
