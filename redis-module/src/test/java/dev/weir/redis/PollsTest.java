package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.Queue;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Laws of the times at which limits ask again: as soon as they like while they are few, and so often in all while they are many. */
class PollsTest {

    private static final long SECOND = 1_000_000_000;
    private static final long LIKED = SECOND / 10;

    private final Polls polls = new Polls();

    /** Has that many limits ask again and again. Returns when each did, in order. */
    private Queue<Long> questions(int limits, long beginNanos, int turns) {
        PriorityQueue<Long> booked = new PriorityQueue<>((one, other) -> Long.signum(one - other));
        for (int limit = 0; limit < limits; limit++) {
            booked.add(beginNanos + polls.book(LIKED, beginNanos));
        }
        Queue<Long> asked = new ArrayDeque<>();
        for (int question = 0; question < turns * limits; question++) {
            long now = booked.remove();
            asked.add(now);
            booked.add(now + polls.book(LIKED, now));
        }
        return asked;
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -SECOND, Long.MIN_VALUE, Long.MAX_VALUE - SECOND / 20})
    @DisplayName("few ask as soon as they like, whatever the time")
    void few(long begin) {
        for (int limits : new int[] {1, 2, 100, 200}) {
            long last = 0;
            for (long asked : questions(limits, begin, 20)) {
                last = asked - begin;
            }
            assertThat(last).as("%d limits", limits).isEqualTo(20 * LIKED);
            begin += 20 * SECOND;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {201, 1_000, 5_000, 10_000})
    @DisplayName("of many, two thousand ask in each second, and each within the time that all take")
    void many(int limits) {
        long turn = limits * Polls.ONE_NANOS;
        Queue<Long> asked = questions(limits, 0, 6);
        Queue<Long> second = new ArrayDeque<>();
        Queue<Long> inTurn = new ArrayDeque<>();
        for (long now : asked) {
            second.add(now);
            while (second.element() <= now - SECOND) {
                second.remove();
            }
            if (now > LIKED) {
                assertThat(second).hasSizeLessThanOrEqualTo(2_000 + (int) (LIKED / Polls.ONE_NANOS));
            }
            inTurn.add(now);
            if (inTurn.size() > limits) {
                assertThat(now - inTurn.remove()).isLessThanOrEqualTo(turn);
            }
        }
    }

    @Test
    @DisplayName(
            "nobody asks later than after five seconds, however many ask, and once they are gone, as soon as it likes")
    void atLastAfterFiveSeconds() {
        long latest = 0;
        for (int limit = 0; limit < 100_000; limit++) {
            latest = Math.max(latest, polls.book(LIKED, 0));
        }
        assertThat(latest).isEqualTo(Polls.LONGEST_NANOS);
        assertThat(polls.book(LIKED, 5 * SECOND)).isEqualTo(LIKED);
    }
}
