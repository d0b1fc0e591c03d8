package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.limit.WaitingRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** One question for requests of different sizes. */
class ScriptMixedSizesTest extends ScriptsOnAServer {

    private static final Duration PERIOD = Duration.ofMinutes(10);
    private static final long AHEAD = PERIOD.toNanos() * 100;
    private static final int SEEDS = 20;

    /** As many times as windows remember. */
    private static final int MOST_TIMES = 64;

    private static final List<Limit> LIMITS = List.of(
            Limit.of(6, PERIOD),
            Limit.slidingWindow(6, PERIOD, 3),
            Limit.tokenBucket(6, 7, PERIOD),
            Limit.tokenBucket(6, 7, PERIOD).refillingInSteps(),
            Limit.leakyBucket(7, PERIOD),
            Limit.leakyBucket(7, PERIOD).withSlack(3),
            Limit.fixedWindow(6, PERIOD),
            Limit.slidingWindowCounter(6, PERIOD),
            Limit.of(3, PERIOD).countingCalls(),
            Limit.tokenBucket(3, 4, PERIOD).countingCalls(),
            Limit.allOf(Limit.tokenBucket(9, 9, PERIOD), Limit.of(3, PERIOD).countingCalls()));

    @Test
    @DisplayName("requests of different sizes get by one question what they would have got by one each")
    void asOneByOne() {
        for (Limit limit : LIMITS) {
            for (long seed = 1; seed <= SEEDS; seed++) {
                Random random = new Random(seed);
                int[] sizes = IntStream.range(0, 1 + random.nextInt(MOST_TIMES))
                        .map(request -> 1 + random.nextInt(Math.min(6, limit.capacity())))
                        .toArray();
                host.flush();
                String about = limit + ", seed " + seed + ", " + Arrays.toString(sizes);
                List<Long> together = waits("together", limit, Queued.of(sizes));
                List<Long> alone = new ArrayList<>();
                IntStream.of(sizes).forEach(size -> alone.addAll(waits("alone", limit, Queued.of(size))));
                assertThat(together)
                        .as(about)
                        .isEqualTo(alone)
                        .hasSize(IntStream.of(sizes).sum());
                assertThat(state("together")).as(about).isEqualTo(state("alone"));
            }
        }
    }

    /** Returns how long each permit has to be waited for, in order. */
    private static List<Long> waits(String tag, Limit limit, Queued first) {
        long all = 0;
        for (WaitingRequest request = first; request != null; request = request.next()) {
            all += request.permits();
        }
        Wanted wanted = new Wanted(Sizes.from(first, all), all, all, AHEAD, AHEAD);
        Answer answer = host.ask(limit, tag, Questions.taking(wanted), "node", BEGIN);
        List<Long> waits = new ArrayList<>(Collections.nCopies((int) answer.granted(), 0L));
        for (Answer.Booking booking : answer.bookings()) {
            waits.addAll(Collections.nCopies(booking.permits(), booking.inNanos()));
        }
        return waits;
    }

    private static List<String> state(String tag) {
        return host.jedis().keys("*{" + tag + "}*").stream()
                .sorted()
                .map(key -> host.jedis().get(key))
                .toList();
    }
}
