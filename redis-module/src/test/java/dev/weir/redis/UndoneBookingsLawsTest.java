package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is booked and undone leaves no trace: there is as much, and for as many, as if nobody had ever booked. */
class UndoneBookingsLawsTest extends ScriptsOnAServer {

    private static final Duration PERIOD = Duration.ofMinutes(10);
    private static final Duration SHORT = PERIOD.dividedBy(60);
    private static final long PERIOD_MICROS = PERIOD.toNanos() / 1000;
    private static final int SEEDS = 12;

    private static List<Limit> alone() {
        return List.of(
                Limit.of(10, PERIOD),
                Limit.fixedWindow(10, PERIOD),
                Limit.fixedWindow(10, PERIOD).aligned(),
                Limit.slidingWindowCounter(10, PERIOD),
                Limit.tokenBucket(10, 4, PERIOD).refillingInSteps(),
                Limit.tokenBucket(10, 4, PERIOD),
                Limit.leakyBucket(10, PERIOD),
                Limit.leakyBucket(10, PERIOD).withSlack(3));
    }

    /** One of which keeps a request away for longer than another would. */
    private static List<Limit> several() {
        return List.of(
                Limit.allOf(Limit.of(10, PERIOD), Limit.tokenBucket(10, 1, SHORT)),
                Limit.allOf(Limit.tokenBucket(3, 10, PERIOD), Limit.of(12, PERIOD.multipliedBy(2))),
                Limit.allOf(Limit.of(10, PERIOD), Limit.leakyBucket(60, PERIOD)),
                Limit.allOf(Limit.of(10, PERIOD), Limit.leakyBucket(60, PERIOD).withSlack(5)),
                Limit.allOf(Limit.fixedWindow(10, PERIOD), Limit.tokenBucket(6, 1, SHORT)),
                Limit.allOf(Limit.fixedWindow(10, PERIOD), Limit.fixedWindow(3, SHORT)),
                Limit.allOf(Limit.slidingWindowCounter(10, PERIOD), Limit.of(4, SHORT)),
                Limit.allOf(Limit.tokenBucket(10, 4, PERIOD).refillingInSteps(), Limit.tokenBucket(6, 1, SHORT)),
                Limit.allOf(
                        Limit.of(10, PERIOD),
                        Limit.tokenBucket(20, 1, SHORT).countingCalls(),
                        Limit.fixedWindow(4, SHORT)));
    }

    /** Which tell permits of one segment apart once something between them was undone, and then count them for shorter. */
    private static List<Limit> inSegments() {
        return List.of(
                Limit.slidingWindow(10, PERIOD, 3),
                Limit.allOf(Limit.slidingWindow(10, PERIOD, 3), Limit.fixedWindow(4, SHORT)),
                Limit.allOf(Limit.slidingWindow(10, PERIOD, 3), Limit.tokenBucket(4, 1, SHORT)));
    }

    @Test
    @DisplayName("in whatever order, whenever, and by however many it is undone")
    void noTrace() {
        alone().forEach(limit -> play(limit, 6));
    }

    @Test
    @DisplayName("a booking that is undone leaves no trace in several limits, whichever of them has it wait")
    void noTraceInSeveral() {
        several().forEach(limit -> play(limit, 6));
    }

    @Test
    @DisplayName("a booking that is undone leaves no trace in what was taken in its segment before")
    void noTraceInSegments() {
        inSegments().forEach(limit -> play(limit, 1));
    }

    private static void play(Limit limit, int rounds) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            host.flush();
            new Walk(limit, seed).play(rounds);
        }
    }

    /** Two limiters that are asked for the same, but that of one there is also booked what is undone in the end. */
    private static final class Walk {

        private final Limit limit;
        private final SplittableRandom random;
        private final StringBuilder trace = new StringBuilder();
        private long now = BEGIN;

        Walk(Limit limit, long seed) {
            this.limit = limit;
            this.random = new SplittableRandom(seed);
            trace.append("seed ").append(seed).append(", ").append(limit).append(':');
        }

        void play(int rounds) {
            for (int round = 0; round < rounds; round++) {
                now += random.nextInt(2) * random.nextLong(PERIOD_MICROS);
                for (int takes = random.nextInt(4); takes > 0; takes--) {
                    now += random.nextInt(2) * random.nextLong(PERIOD_MICROS / 100);
                    takeAndSettle(1 + random.nextInt(limit.capacity()));
                }
                if (random.nextInt(4) == 0) {
                    sameOf(Questions.charge(1 + random.nextInt(3)));
                }
                undo(book());
                sameOf(Questions.look());
            }
        }

        /** What was settled for less has what is past remembered. */
        private void takeAndSettle(int permits) {
            Answer answer = sameOf(Questions.take(permits));
            if (answer.granted() > 0 && random.nextInt(4) == 0) {
                sameOf(Questions.undo(Slot.taken(1, answer.nowNanos(), true)));
            }
        }

        private Answer ask(String tag, Question question) {
            return host.ask(limit, tag, question, "node", now);
        }

        private Answer sameOf(Question question) {
            Answer answer = ask("with", question);
            note(question).append(answer);
            assertThat(answer).as(trace.toString()).isEqualTo(ask("without", question));
            return answer;
        }

        private StringBuilder note(Question question) {
            return trace.append("\n at ")
                    .append(now - BEGIN)
                    .append(' ')
                    .append(question)
                    .append(' ');
        }

        /** For several nodes; what is there at once is taken of both. */
        private List<Slot> book() {
            List<Slot> booked = new ArrayList<>();
            for (int nodes = 1 + random.nextInt(3); nodes > 0; nodes--) {
                int one = 1 + random.nextInt(limit.capacity());
                Question question = Questions.book(one, 1 + random.nextInt(3), random.nextInt(2) * PERIOD.toNanos());
                Answer answer = ask("with", question);
                note(question).append(answer);
                for (long taken = 0; taken < answer.granted(); taken += one) {
                    ask("without", Questions.take(one));
                }
                for (Answer.Booking each : answer.bookings()) {
                    for (int permits = 0; permits < each.permits(); permits += one) {
                        booked.add(Questions.booked(one, answer.nowNanos() + each.inNanos()));
                    }
                }
            }
            return booked;
        }

        /** One by one, before any of what is left is due. */
        private void undo(List<Slot> booked) {
            while (!booked.isEmpty()) {
                long due = booked.stream().mapToLong(Slot::atNanos).min().orElseThrow() / 1000;
                if (due - now > 1) {
                    now += random.nextInt(2) * random.nextLong(due - now);
                }
                Question question = Questions.undo(booked.remove(random.nextInt(booked.size())));
                note(question).append(ask("with", question));
            }
        }
    }
}
