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
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What many slots that are told of at once come to, and what they cost. */
class ScriptManyUndoneTest extends ScriptsOnAServer {

    private static final long PERIOD = 600_000_000;
    private static final Duration LENGTH = Duration.ofNanos(PERIOD * 1_000);

    private static final Pattern USED = Pattern.compile("used_cpu_(?:sys|user):([0-9.]+)");

    private static List<Limit> limits() {
        return List.of(
                Limit.of(5, LENGTH),
                Limit.of(20, LENGTH),
                Limit.of(2_000, LENGTH),
                Limit.slidingWindow(7, LENGTH, 3),
                Limit.slidingWindow(20, LENGTH, 8),
                Limit.fixedWindow(7, LENGTH),
                Limit.slidingWindowCounter(9, LENGTH),
                Limit.tokenBucket(6, 2, LENGTH).refillingInSteps(),
                Limit.allOf(Limit.of(6, LENGTH), Limit.of(4, LENGTH).countingCalls(), Limit.tokenBucket(7, 3, LENGTH)));
    }

    @Test
    @DisplayName("slots undone at once leave what they would one by one, debt and bookings included")
    void asOneByOne() {
        for (Limit limit : limits()) {
            for (long seed = 1; seed <= 40; seed++) {
                host.flush();
                new Walk(limit, seed).play();
            }
        }
    }

    /** The same trace at two keys, one of which hears of all that is undone at once, the other of each by itself. */
    private static final class Walk {

        private final Limit limit;
        private final SplittableRandom random;
        private final int most;
        private final List<Slot> taken = new ArrayList<>();
        private final StringBuilder trace = new StringBuilder();
        private long now = BEGIN;

        Walk(Limit limit, long seed) {
            this.limit = limit;
            this.random = new SplittableRandom(seed);
            this.most = Math.max(4, limit.capacity() / 4);
            trace.append(limit).append(", seed ").append(seed).append(':');
        }

        void play() {
            for (int step = 0; step < 30; step++) {
                switch (random.nextInt(8)) {
                    case 0 -> both(Questions.charge(1 + random.nextInt(most)));
                    case 1, 2 -> undoSome();
                    case 3 -> now += random.nextInt((int) (PERIOD / 3));
                    case 4, 5 ->
                        take(Questions.book(1 + random.nextInt(Math.min(most, limit.capacity())), 3, LENGTH.toNanos()));
                    default -> take(Questions.take(1 + random.nextInt(Math.min(most, limit.capacity()))));
                }
                now += random.nextInt((int) (PERIOD / 60));
            }
        }

        private Answer ask(String tag, Question question) {
            return host.ask(limit, tag, question, "node", now);
        }

        private Answer both(Question question) {
            trace.append("\n  +").append(now - BEGIN).append(' ').append(question);
            Answer atOnce = ask("at-once", question);
            assertThat(ask("one-by-one", question)).as(trace.toString()).isEqualTo(atOnce);
            return atOnce;
        }

        private void take(Question question) {
            Answer answer = both(question);
            if (answer.granted() > 0) {
                taken.add(new Slot((int) answer.granted(), now * 1_000, false, question.one(), false));
            }
            for (Answer.Booking booking : answer.bookings()) {
                taken.add(new Slot(booking.permits(), now * 1_000 + booking.inNanos(), false, question.one(), false));
            }
        }

        private void undoSome() {
            Collections.shuffle(taken, new Random(random.nextLong()));
            List<Slot> undone = new ArrayList<>();
            for (int i = random.nextInt(6); i >= 0 && !taken.isEmpty(); i--) {
                Slot slot = taken.remove(taken.size() - 1);
                boolean isPart = slot.permits() > 1 && slot.atNanos() <= now * 1_000 && random.nextBoolean();
                undone.add(isPart ? Slot.taken(1 + random.nextInt(slot.permits() - 1), slot.atNanos(), true) : slot);
            }
            undone.sort(Comparator.comparingLong(Slot::atNanos).reversed());
            trace.append("\n  +").append(now - BEGIN).append(" undo ").append(undone);
            Answer unused = ask("at-once", Questions.undo(undone));
            undone.forEach(slot -> ask("one-by-one", Questions.undo(List.of(slot))));
            Answer afterwards = both(Questions.look());
            assertThat(afterwards.granted()).isZero();
        }
    }

    @Test
    @DisplayName(
            "a window of a thousand times takes little more time of the server for hundreds that are undone than for one")
    void costsOfUndone() {
        assertThat(costs(Questions.undo(slots(300)))).isLessThan(5 * costs(Questions.undo(slots(1))));
    }

    @Test
    @DisplayName("a window takes less than five times as long to leave out hundreds of bookings as one")
    void costsOfBooked() {
        assertThat(costs(Questions.seeing(slots(300)))).isLessThan(5 * costs(Questions.seeing(slots(1))));
    }

    @Test
    @DisplayName("a booking for several requests is left out of answers as if each were named")
    void bookedAsIfNamed() {
        for (Limit limit : counted()) {
            for (long seed = 1; seed <= 60; seed++) {
                host.flush();
                SplittableRandom random = new SplittableRandom(seed);
                Answer before = ask(limit, Questions.take(1 + random.nextInt(3)), BEGIN);
                int one = 1 + random.nextInt(2);
                Answer booking =
                        ask(limit, Questions.book(one, 1 + random.nextInt(30), 3 * LENGTH.toNanos()), BEGIN + 1);
                long now = BEGIN + 1 + random.nextLong(2 * PERIOD);
                String trace = limit + ", seed " + seed + ", before " + before + ", " + booking;
                assertThat(ask(limit, Questions.seeing(booked(booking, one)), now))
                        .as(trace)
                        .isEqualTo(ask(limit, Questions.seeing(named(booking, one)), now));
            }
        }
    }

    private static List<Limit> counted() {
        return List.of(
                Limit.of(4, LENGTH).countingCalls(),
                Limit.fixedWindow(4, LENGTH).countingCalls(),
                Limit.slidingWindowCounter(4, LENGTH).countingCalls(),
                Limit.tokenBucket(4, 4, LENGTH).countingCalls(),
                Limit.leakyBucket(3, LENGTH).countingCalls(),
                Limit.allOf(Limit.of(9, LENGTH), Limit.tokenBucket(4, 4, LENGTH).countingCalls()),
                Limit.allOf(
                        Limit.fixedWindow(9, LENGTH),
                        Limit.fixedWindow(5, LENGTH).countingCalls()));
    }

    private static List<Slot> booked(Answer answer, int one) {
        return answer.bookings().stream()
                .map(each -> new Slot(each.permits(), answer.nowNanos() + each.inNanos(), false, one, false))
                .toList();
    }

    /** Each request by itself. */
    private static List<Slot> named(Answer answer, int one) {
        return booked(answer, one).stream()
                .flatMap(slot -> Collections.nCopies((int) slot.calls(), slot.withPermits(one)).stream())
                .toList();
    }

    @Test
    @DisplayName("a booking for ten thousand requests takes less than five times as long as one for one")
    void costsOfManyRequests() {
        Limit limit = Limit.allOf(
                Limit.fixedWindow(10_000, LENGTH),
                Limit.fixedWindow(10_000, LENGTH).countingCalls());
        assertThat(costs(limit, 10_000)).isLessThan(5 * costs(limit, 1));
    }

    private static long costs(Limit limit, int requests) {
        long best = Long.MAX_VALUE;
        for (int round = 0; round < 3; round++) {
            host.flush();
            Answer granted = ask(limit, Questions.take(10_000), BEGIN);
            Answer booking = ask(limit, Questions.book(1, requests, LENGTH.toNanos()), BEGIN + 1);
            assertThat(booking.bookings()).as("after %s", granted).hasSize(1);
            List<Slot> booked = booked(booking, 1);
            assertThat(booked.get(0).permits()).isEqualTo(requests);
            long before = used();
            Answer unused = ask(limit, Questions.seeing(booked), BEGIN + 2);
            best = Math.min(best, used() - before);
        }
        return best;
    }

    @Test
    @DisplayName(
            "a window of a thousand times takes little more for hundreds where as much again is owed, which is charged anew")
    void costsOfDebt() {
        assertThat(costs(Questions.undo(slots(300)), 1_000)).isLessThan(12 * costs(Questions.undo(slots(1))));
        assertThat(costs(Questions.undo(slots(1)), 1_000)).isLessThan(12 * costs(Questions.undo(slots(1))));
    }

    /** Of a permit each, all over the window, its beginning included. */
    private static List<Slot> slots(int count) {
        List<Slot> slots = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            slots.add(Questions.booked(1, (BEGIN + i * (1_000_000L / count)) * 1_000));
        }
        return slots;
    }

    /** How many microseconds of the processor that takes the server, at best. */
    private static long costs(Question question) {
        return costs(question, 0);
    }

    private static long costs(Question question, int owed) {
        Limit limit = Limit.of(1_000, LENGTH);
        long best = Long.MAX_VALUE;
        for (int round = 0; round < 3; round++) {
            host.flush();
            for (int i = 0; i < 1_000; i++) {
                ask(limit, Questions.take(1), BEGIN + i * 1_000L);
            }
            Answer charged = ask(limit, Questions.charge(owed), BEGIN + 1_000_000);
            assertThat(charged.granted()).isZero();
            long before = used();
            Answer unused = ask(limit, question, BEGIN + 1_000_000);
            best = Math.min(best, used() - before);
        }
        return best;
    }

    /** What the server has used of the processor, in microseconds: the time in which others have it does not count. */
    private static long used() {
        List<String> parts = USED.matcher(host.jedis().info("cpu"))
                .results()
                .map(part -> part.group(1))
                .toList();
        assertThat(parts).hasSize(2);
        return parts.stream()
                .mapToLong(seconds -> Math.round(Double.parseDouble(seconds) * 1_000_000))
                .sum();
    }
}
