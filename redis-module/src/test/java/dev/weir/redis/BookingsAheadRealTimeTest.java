package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How often a node asks for those who stand behind each other. */
class BookingsAheadRealTimeTest {

    private static final int PER_SECOND = 200;
    private static final int WAITERS = 100;

    @Test
    @DisplayName("a request for permits that come one by one is booked with others, and never twice")
    void together() throws Exception {
        try (ServerProcess redis = ServerProcess.start();
                ScriptHost host = new ScriptHost("127.0.0.1", redis.port())) {
            JedisCommands commands = new JedisCommands(host);
            RateLimiter limiter = Nodes.on(commands, RedisOptions.defaults().deadline(Duration.ofSeconds(20)))
                    .builder("one by one", Limit.tokenBucket(1, PER_SECOND, Duration.ofSeconds(1)))
                    .build();
            List<CompletableFuture<Lease>> waiting = IntStream.range(0, WAITERS)
                    .mapToObj(waiter -> limiter.acquire())
                    .toList();
            CompletableFuture.allOf(waiting.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);

            assertThat(waiting).allMatch(lease -> lease.join().isAcquired());
            assertThat(commands.asked)
                    .as("in three quarters of a quarter of a second 37 permits come")
                    .hasSizeLessThan(WAITERS / 37 + 16);
            assertThat(got(commands.answers) - givenBack(commands.asked)).isEqualTo(WAITERS);
        }
    }

    private static long got(List<Answer> answers) {
        return answers.stream()
                .mapToLong(answer -> answer.granted()
                        + answer.bookings().stream()
                                .mapToLong(Answer.Booking::permits)
                                .sum())
                .sum();
    }

    private static long givenBack(List<String[]> asked) {
        return asked.stream()
                .flatMap(arguments -> Stream.of(ServerGrants.undone(arguments).split(",")))
                .filter(slot -> !slot.isEmpty())
                .mapToLong(slot -> Long.parseLong(slot.substring(0, slot.indexOf(':'))))
                .sum();
    }
}
