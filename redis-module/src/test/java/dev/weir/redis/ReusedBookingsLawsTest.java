package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Whoever books a place that another has left keeps the limit, with all who are before and behind. */
class ReusedBookingsLawsTest extends ScriptsOnAServer {

    private static final int SEEDS = 40;
    private static final int STEPS = 120;
    private static final long EACH_MICROS = 50_000;
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** A limit of twenty a second, and how much earlier than evenly a request for one may come, and each more that it is for. */
    private record Kept(Limit limit, long earlyMicros, long lessForEach) {}

    private static final List<Kept> ALL = List.of(
            new Kept(Limit.leakyBucket(20, SECOND), 0, 0),
            new Kept(Limit.leakyBucket(20, SECOND).withSlack(3), 3 * EACH_MICROS, 0),
            new Kept(Limit.tokenBucket(1, 20, SECOND), 0, EACH_MICROS),
            new Kept(Limit.tokenBucket(3, 20, SECOND), 2 * EACH_MICROS, EACH_MICROS),
            new Kept(Limit.tokenBucket(10, 20, SECOND), 9 * EACH_MICROS, EACH_MICROS));

    @Test
    @DisplayName("a limit is kept whatever is booked, left and booked again")
    void theLimitIsKept() {
        int left = 0;
        int taken = 0;
        for (Kept kept : ALL) {
            for (long seed = 1; seed <= SEEDS; seed++) {
                host.flush();
                Walk walk = new Walk(kept, seed);
                walk.play();
                left += walk.left;
                taken += walk.taken;
            }
        }
        assertThat(left).as("places that were left").isGreaterThan(1_000);
        assertThat(taken)
                .as("bookings that are due before others that were there")
                .isGreaterThan(300);
    }

    @Test
    @DisplayName(
            "places that were left are booked again before anything else, the earliest first, if no two takes fit together")
    void earliestFirst() {
        eachApart((limit, seed) -> {
            Random random = new Random(seed);
            List<Integer> whose = new ArrayList<>(List.of(0, 1, 2, 3, 4, 5, 6, 7, 8));
            Collections.shuffle(whose, random);
            List<Long> left = leave(limit, whose.subList(0, 2 + random.nextInt(8)));
            for (long place : left.stream().sorted().toList()) {
                assertThat(nextPlace(limit, BEGIN))
                        .as("%s, seed %d, of %s", limit, seed, left)
                        .isEqualTo(place);
            }
        });
    }

    @Test
    @DisplayName("of two neighbours that were left the next gets what is not over, whoever of them was the first to go")
    void neighbours() {
        eachApart((limit, seed) -> {
            Random random = new Random(seed);
            int first = random.nextInt(8);
            int other = random.nextInt(2);
            List<Long> left = leave(limit, List.of(first + other, first + 1 - other));
            long now = left.get(other) + random.nextLong(EACH_MICROS);
            assertThat(nextPlace(limit, now))
                    .as("%s, seed %d, of %s", limit, seed, left)
                    .isEqualTo(now);
        });
    }

    private static void eachApart(BiConsumer<Limit, Long> law) {
        for (Kept kept : ALL.stream().filter(kept -> kept.earlyMicros == 0).toList()) {
            for (long seed = 1; seed <= SEEDS; seed++) {
                host.flush();
                law.accept(kept.limit, seed);
            }
        }
    }

    /** Ten have booked, and these go, in this order; returns when they would have been served. */
    private static List<Long> leave(Limit limit, List<Integer> whose) {
        assertThat(ask(limit, Questions.take(limit.capacity()), BEGIN).granted())
                .isPositive();
        List<Answer.Booking> booked =
                ask(limit, Questions.book(1, 10, 2 * SECOND.toNanos()), BEGIN).bookings();
        assertThat(booked).hasSize(10);
        List<Long> left = new ArrayList<>();
        for (int each : whose) {
            long place = BEGIN + booked.get(each).inNanos() / 1_000;
            ask(limit, Questions.undo(Questions.booked(1, place * 1_000)), BEGIN);
            left.add(place);
        }
        return left;
    }

    private static long nextPlace(Limit limit, long now) {
        Answer answer = ask(limit, Questions.book(1, 1, 0), now);
        return answer.granted() > 0 ? now : now + answer.bookings().get(0).inNanos() / 1_000;
    }

    /** What is taken at some time, and not undone. */
    private record Taken(long atMicros, int permits) {}

    private static final class Walk {

        private final Kept kept;
        private final SplittableRandom random;
        private final List<Taken> all = new ArrayList<>();
        private final StringBuilder trace = new StringBuilder();
        private long now = BEGIN;
        private int left;
        private int taken;

        Walk(Kept kept, long seed) {
            this.kept = kept;
            this.random = new SplittableRandom(seed);
            trace.append("seed ").append(seed).append(", ").append(kept.limit).append(':');
        }

        void play() {
            for (int step = 0; step < STEPS; step++) {
                now += random.nextInt(2) * random.nextLong(EACH_MICROS);
                if (random.nextInt(2) == 0) {
                    book();
                } else {
                    leave();
                }
                check();
            }
        }

        private void book() {
            int one = 1 + random.nextInt(Math.min(2, kept.limit.capacity()));
            long ahead = random.nextLong(10 * EACH_MICROS) * 1_000;
            Answer answer = ask(Questions.book(one, 1 + random.nextInt(3), ahead));
            long latest = all.stream().mapToLong(Taken::atMicros).max().orElse(0);
            take(now, answer.granted(), one);
            for (Answer.Booking booking : answer.bookings()) {
                long at = now + booking.inNanos() / 1_000;
                taken += at < latest ? 1 : 0;
                take(at, booking.permits(), one);
            }
        }

        private void take(long atMicros, long permits, int one) {
            for (long request = permits / one; request > 0; request--) {
                all.add(new Taken(atMicros, one));
            }
        }

        /** Somebody who has booked goes, whether others are behind or not. */
        private void leave() {
            List<Taken> later = all.stream().filter(here -> here.atMicros > now).toList();
            if (!later.isEmpty()) {
                Taken leaving = later.get(random.nextInt(later.size()));
                all.remove(leaving);
                left++;
                ask(Questions.undo(Questions.booked(leaving.permits, leaving.atMicros * 1_000)));
            }
        }

        private Answer ask(Question question) {
            Answer answer = host.ask(kept.limit, "places", question, "node", now);
            trace.append("\n at ")
                    .append(now - BEGIN)
                    .append(' ')
                    .append(question)
                    .append(' ')
                    .append(answer);
            return answer;
        }

        /** The generic cell rate algorithm over all that is taken: nobody comes earlier than it allows. */
        private void check() {
            all.sort(Comparator.comparingLong(Taken::atMicros));
            long full = BEGIN;
            for (Taken here : all) {
                long early = kept.earlyMicros - (here.permits - 1) * kept.lessForEach;
                assertThat(here.atMicros).as(trace + "\n" + all).isGreaterThanOrEqualTo(full - early);
                full = Math.max(full, here.atMicros) + here.permits * EACH_MICROS;
            }
        }
    }
}
