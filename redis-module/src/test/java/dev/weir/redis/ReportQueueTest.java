package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import dev.weir.time.TimeSource;
import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits wait for their turns to report, on a server that answers when it is told to. */
class ReportQueueTest {

    /** More than take turns before the queue rests for a moment. */
    private static final int MANY = 2 * ReportQueue.MANY_TURNS + 88;

    private static final Limit ONCE = Limit.of(1, Duration.ofHours(1));
    private static final String GRANTED = "1790000000000000 1 -1 0 3600000000 3600000000 3600000000";
    private static final String DENIED = "1790000000000000 0 -1 0 3600000000 3600000000 3600000000";

    private final VirtualTimeSource virtual = new VirtualTimeSource(-1);
    private final Clock time = new Clock();
    private final Map<String, Commands.Listener> asked = new ConcurrentHashMap<>();
    private final Node shared = Nodes.node(new Random(1));
    private final RedisRateLimiters node = Nodes.on(new Server(), RedisOptions.defaults(), shared);

    private boolean isGone;
    private boolean hasMoved;

    /** Is read only so often: who looks for ever fails. */
    private final class Clock implements TimeSource {

        private long readingsLeft = 1_000_000;
        private int readingsUntilItThrows;
        private boolean rejects;
        private int rejected;

        @Override
        public long nanoTime() {
            assertThat(--readingsLeft).as("readings left").isPositive();
            if (readingsUntilItThrows > 0 && --readingsUntilItThrows == 0) {
                throw new BrokenClockException();
            }
            return virtual.nanoTime();
        }

        @Override
        public Cancellable schedule(Runnable task, long delayNanos) {
            if (rejects && delayNanos == 0) {
                rejected++;
                throw new RejectedExecutionException("busy");
            }
            return virtual.schedule(task, delayNanos);
        }
    }

    private static final class BrokenClockException extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }

    private final class Server implements Commands {

        @Override
        public void run(Script script, String[] keys, String[] arguments, Listener listener) {
            if (isGone) {
                listener.failed(new IllegalStateException("gone"));
            } else {
                asked.put(keys[0], listener);
            }
        }

        @Override
        public String serverOf(String key) {
            return key.contains("moving") && !hasMoved ? "old" : "new";
        }
    }

    private RateLimiter limiter(String name) {
        return node.builder(name, ONCE).timeSource(time).build();
    }

    private Commands.Listener questionOf(String name) {
        return asked.entrySet().stream()
                .filter(each -> each.getKey().contains("{" + name + "}"))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + " has not asked"));
    }

    private void passes(int millis) {
        virtual.advanceBy(Duration.ofMillis(millis));
    }

    @Test
    @DisplayName("an answer that comes in a pause ends it at once; who may not report before its end waits until then")
    void answeredInThePause() {
        for (int stalled = 0; stalled < 3; stalled++) {
            CompletableFuture<Lease> unused = limiter("stalled " + stalled).acquire();
        }
        passes(30);
        CompletableFuture<Lease> answered = limiter("answered").acquire();
        passes(21);
        Lease alone = limiter("alone").tryAcquire();
        assertThat(alone.source()).isEqualTo(DecisionSource.FALLBACK);
        passes(5);
        questionOf("answered").replied(GRANTED);
        passes(1);
        assertThat(answered.join().source()).isEqualTo(DecisionSource.REMOTE);
        passes(50);
        questionOf("alone").replied(DENIED);
    }

    @Test
    @DisplayName(
            "who only reports has its turn while requests wait for ever, on keys that the server answers with errors")
    void reportsAmongWaiters() {
        isGone = true;
        for (int number = 0; number < 100; number++) {
            assertThat(limiter("quiet " + number).tryAcquire().isAcquired()).isTrue();
            passes(1);
        }
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int number = 0; number < 800; number++) {
            RateLimiter busy = limiter("busy " + number);
            assertThat(busy.tryAcquire().isAcquired()).isTrue();
            waiting.add(busy.acquire());
        }
        passes(2_000);
        isGone = false;
        Set<String> reported = new HashSet<>();
        int busy = 0;
        for (int millis = 0; millis < 1_100; millis++) {
            passes(1);
            for (String key : List.copyOf(asked.keySet())) {
                Commands.Listener question = Objects.requireNonNull(asked.remove(key));
                if (key.contains("quiet")) {
                    reported.add(key);
                    question.replied(DENIED);
                } else {
                    busy += reported.size() < 100 ? 1 : 0;
                    question.failed(new RedisCommandExecutionException("NOPERM No permissions to access a key"));
                }
            }
        }
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        assertThat(reported).hasSize(100);
        assertThat(busy)
                .as("until then most turns are of those for which requests wait")
                .isGreaterThan(200);
    }

    @Test
    @DisplayName("requests that wait ask in their turn, though the time source has no thread for that just then")
    void noThread() {
        RateLimiter limiter = limiter("rejected");
        isGone = true;
        assertThat(limiter.tryAcquire().source()).isEqualTo(DecisionSource.FALLBACK);
        CompletableFuture<Lease> waiting = limiter.acquire();
        isGone = false;
        time.rejects = true;
        passes(50);
        thePoolTakesOver();
        questionOf("rejected").replied(DENIED);
        assertThat(waiting).isNotDone();
    }

    private void thePoolTakesOver() {
        assertThat(ForkJoinPool.commonPool().awaitQuiescence(1, TimeUnit.MINUTES))
                .isTrue();
        assertThat(time.rejected).isPositive();
        time.rejects = false;
    }

    @Test
    @DisplayName("a limit that may probe at once does, though the time source has no thread for that just then")
    void noThreadForAProbe() {
        isGone = true;
        for (int number = 0; number < 4; number++) {
            assertThat(limiter("first " + number).tryAcquire().isAcquired()).isTrue();
        }
        time.rejects = true;
        assertThat(limiter("quiet").tryAcquire().source()).isEqualTo(DecisionSource.FALLBACK);
        thePoolTakesOver();
        isGone = false;
        assertThat(isAnswered(3_000)).anyMatch(key -> key.contains("quiet"));
    }

    /** Answers all questions of so many milliseconds, each after one. Returns the keys asked for. */
    private Set<String> isAnswered(int millis) {
        Set<String> keys = new HashSet<>();
        boolean hasThrown = false;
        for (int each = 0; each < millis; each++) {
            try {
                passes(1);
                for (String key : List.copyOf(asked.keySet())) {
                    keys.add(key);
                    Objects.requireNonNull(asked.remove(key)).replied(DENIED);
                }
            } catch (BrokenClockException onceOnly) {
                assertThat(hasThrown).isFalse();
                hasThrown = true;
            }
        }
        return keys;
    }

    /** Has limits admit what they have to report, and their server come back. */
    private List<RateLimiter> backFromAnOutage(int keys) {
        List<RateLimiter> early = IntStream.range(0, keys)
                .mapToObj(number -> limiter("early " + number))
                .toList();
        isGone = true;
        assertThat(early).allMatch(limiter -> limiter.tryAcquire().isAcquired());
        passes(1_000);
        isGone = false;
        return early;
    }

    /** All readings of the clock while so many limits report. With one, none of the others takes it along. */
    private static Stream<Arguments> readings() {
        return IntStream.of(1, 20)
                .boxed()
                .flatMap(keys -> readings(keys).mapToObj(reading -> arguments(keys, reading)));
    }

    private static IntStream readings(int keys) {
        ReportQueueTest trial = new ReportQueueTest();
        List<RateLimiter> early = trial.backFromAnOutage(keys);
        long before = trial.time.readingsLeft;
        assertThat(trial.isAnswered(1_100)).hasSameSizeAs(early);
        return IntStream.rangeClosed(1, Math.toIntExact(before - trial.time.readingsLeft));
    }

    @ParameterizedTest
    @MethodSource("readings")
    @DisplayName(
            "whichever reading of the clock throws, no limit stays without an answer, and all report after the next outage")
    void clockThrows(int keys, int reading) {
        List<RateLimiter> early = backFromAnOutage(keys);
        time.readingsUntilItThrows = reading;
        assertThat(isAnswered(keys == 1 ? 1_250 : 1_100)).isNotEmpty();
        assertThat(time.readingsUntilItThrows).isZero();
        for (RateLimiter limiter : early) {
            CompletableFuture<Lease> unused = limiter.acquire();
        }
        assertThat(isAnswered(100)).hasSameSizeAs(early);
        isGone = true;
        assertThat(limiter("late").tryAcquire().source()).isEqualTo(DecisionSource.FALLBACK);
        isGone = false;
        assertThat(isAnswered(1_100)).anyMatch(key -> key.contains("late"));
    }

    @ParameterizedTest
    @MethodSource("readings")
    @DisplayName("nor does one that waits, or has something to report, though nobody asks any more")
    void clockThrowsAndNobodyAsks(int keys, int reading) {
        List<RateLimiter> early = backFromAnOutage(keys);
        isGone = true;
        List<CompletableFuture<Lease>> waiting =
                early.stream().map(RateLimiter::acquire).toList();
        passes(1_100);
        isGone = false;
        time.readingsUntilItThrows = reading;
        Set<String> reported = isAnswered(2_300);
        assertThat(reported).as("limits that have reported").hasSameSizeAs(early);
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
    }

    private long pauseOf(String server) {
        return shared.servers.of(time).of(server).circuit().nanosUntilProbe(time.nanoTime());
    }

    private void untilThePauseIsLong(String server) {
        while (pauseOf(server) < Duration.ofMillis(600).toNanos()) {
            passes(10);
        }
    }

    @Test
    @DisplayName("if an answer comes in a long pause, all report soon, however many, but for the few that have probed")
    void answeredInALongPause() {
        RedisRateLimiters patient =
                Nodes.on(new Server(), RedisOptions.defaults().deadline(Duration.ofSeconds(5)), shared);
        CompletableFuture<Lease> unused =
                patient.builder("slow", ONCE).timeSource(time).build().acquire();
        isGone = true;
        for (int number = 0; number < MANY; number++) {
            RateLimiter quiet =
                    patient.builder("quiet " + number, ONCE).timeSource(time).build();
            assertThat(quiet.tryAcquire().source()).isEqualTo(DecisionSource.FALLBACK);
        }
        untilThePauseIsLong("new");
        isGone = false;
        questionOf("slow").replied(GRANTED);
        assertThat(isAnswered(300)).filteredOn(key -> key.contains("quiet")).hasSizeGreaterThan(MANY - 5);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, MANY})
    @DisplayName(
            "keys that have moved, and wait for the end of the long pause of the server before, do not hold up others")
    void movedInALongPause(int keys) {
        isGone = true;
        assertThat(limiter("moving first").tryAcquire().source()).isEqualTo(DecisionSource.FALLBACK);
        List<RateLimiter> moving = IntStream.range(0, keys)
                .mapToObj(number -> limiter("moving " + number))
                .toList();
        untilThePauseIsLong("old");
        assertThat(moving).allMatch(limiter -> limiter.availablePermits() > 0);
        for (int number = 0; number < MANY; number++) {
            RateLimiter other = limiter("other " + number);
            assertThat(other.tryAcquire().source()).isEqualTo(DecisionSource.FALLBACK);
            CompletableFuture<Lease> unused = other.acquire();
        }
        hasMoved = true;
        isGone = false;
        assertThat(moving).allMatch(limiter -> limiter.tryAcquire().source() == DecisionSource.FALLBACK);
        assertThat(isAnswered(300)).filteredOn(key -> key.contains("other")).hasSize(MANY);
    }
}
