package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.limit.AllOf;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the scripts do beyond what a policy does: bookings, several keys, clocks that step, expiry. */
class ScriptLawsTest extends ScriptsOnAServer {

    private static final Duration PERIOD = Duration.ofMinutes(10);
    private static final long PERIOD_MICROS = PERIOD.toNanos() / 1000;

    /** How far the clock is set back: an hour is six periods, the others are none; 201 s end before the aligned window begins. */
    private static final long[] STEPS = {1, 1_000_000, 201_000_000, 599_999_999, 3_600_000_000L};

    private static List<Limit> all() {
        return all(PERIOD);
    }

    private static List<Limit> all(Duration period) {
        return List.of(
                Limit.of(4, period),
                Limit.slidingWindow(4, period, 3),
                Limit.tokenBucket(4, 4, period),
                Limit.leakyBucket(4, period),
                Limit.fixedWindow(4, period),
                Limit.fixedWindow(4, period).aligned(),
                Limit.slidingWindowCounter(4, period),
                Limit.allOf(Limit.of(4, period), Limit.tokenBucket(4, 4, period)));
    }

    @Test
    @DisplayName(
            "bookings come in order, nobody overtakes them, and at the time they name the policy would have granted")
    void bookings() {
        for (int kind = 0; kind < all().size(); kind++) {
            host.flush();
            Limit limit = all().get(kind);
            // Policies do not know what a unit of time is: this one counts microseconds.
            PermitPolicy policy = all(Duration.ofNanos(PERIOD_MICROS)).get(kind).newPolicy(BEGIN);
            List<Long> times = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                Answer answer = ask(limit, Questions.book(1, 1, 0), BEGIN + i);
                long inNanos =
                        answer.granted() == 1 ? 0 : answer.bookings().get(0).inNanos();
                times.add(BEGIN + i + inNanos / 1000);
                Answer after = ask(limit, Questions.look(), BEGIN + i);
                host.checkKept(limit, "test", after.fullNanos(), "after " + answer);
                assertThat(answer.granted() == 1 || after.available() <= 0)
                        .as("%s is there for others: %s, %s", limit, answer, after)
                        .isTrue();
            }
            assertThat(times).as("%s", limit).isSorted();
            for (long time : times) {
                assertThat(policy.tryTake(1, time))
                        .as("%s at %s of %s", limit, time, times)
                        .isZero();
            }
            assertThat(ask(limit, Questions.take(1), BEGIN + 20).granted()).isZero();
        }
    }

    @Test
    @DisplayName("many who are booked by one question get what they would have got by one question each")
    void manyAtOnce() {
        List<Limit> limits = new ArrayList<>(all());
        limits.add(Limit.tokenBucket(1, 7, PERIOD));
        limits.add(Limit.tokenBucket(5, 7, PERIOD));
        limits.add(Limit.leakyBucket(7, PERIOD).withSlack(3));
        limits.add(Limit.leakyBucket(1_000_003, Duration.ofDays(365))); // far from new: keys expire in real time
        limits.add(Limit.allOf(
                Limit.of(10, PERIOD), Limit.of(3, PERIOD.multipliedBy(2)).countingCalls()));
        int requests = 64; // at as many times, which is what windows remember
        long ahead = PERIOD.toNanos() * 100;
        for (Limit limit : limits) {
            int one = Math.min(2, limit.capacity());
            fill(limit);
            Answer together = ask(limit, Questions.book(one, requests, ahead), BEGIN + 100);
            String state = host.jedis().get(host.jedis().keys("*").iterator().next());
            fill(limit);
            List<Long> alone = new ArrayList<>();
            for (int i = 0; i < requests; i++) {
                alone.addAll(waits(ask(limit, Questions.book(one, 1, ahead), BEGIN + 100), one));
            }
            assertThat(waits(together, one)).as("%s", limit).isEqualTo(alone).hasSize(requests);
            assertThat(together.bookings())
                    .as("%s: those of the same time together", limit)
                    .doesNotHaveDuplicates()
                    .extracting(Answer.Booking::inNanos)
                    .doesNotHaveDuplicates();
            assertThat(host.jedis().get(host.jedis().keys("*").iterator().next()))
                    .as("%s", limit)
                    .isEqualTo(state);
            if (!(limit instanceof AllOf)) {
                Limit both = Limit.allOf(limit, Limit.fixedWindow(1_000_000, PERIOD));
                fill(both);
                assertThat(waits(ask(both, Questions.book(one, requests, ahead), BEGIN + 100), one))
                        .as("%s, asked in the way of several", limit)
                        .isEqualTo(alone);
            }
        }
    }

    /** Leaves a limit that has been asked a little before, at several times. */
    private static void fill(Limit limit) {
        host.flush();
        for (int i = 0; i < 3; i++) {
            ask(limit, Questions.take(1), BEGIN + 31L * i);
        }
    }

    /** How long each request has to wait; not at all if it was granted. */
    private static List<Long> waits(Answer answer, int one) {
        List<Long> waits = new ArrayList<>();
        for (long permit = 0; permit < answer.granted(); permit += one) {
            waits.add(0L);
        }
        for (Answer.Booking booking : answer.bookings()) {
            for (int permit = 0; permit < booking.permits(); permit += one) {
                waits.add(booking.inNanos());
            }
        }
        return waits;
    }

    @Test
    @DisplayName("a booking is left out of answers to its node, and leaves no trace when given back")
    void bookingsUndone() {
        List<Limit> limits = new ArrayList<>(all());
        for (Limit limit : all()) {
            limits.add(limit.countingCalls());
            limits.add(Limit.allOf(limit, Limit.of(8, PERIOD)));
            limits.add(Limit.allOf(limit, Limit.of(100, PERIOD).countingCalls()));
        }
        for (Limit limit : limits) {
            host.flush();
            ask(limit, Questions.taking(Wanted.atOnce(4, 16)), BEGIN);
            Answer before = ask(limit, Questions.look(), BEGIN + 5);
            Answer booked = ask(limit, Questions.book(2, 12, PERIOD.toNanos() * 9), BEGIN + 5);
            assertThat(booked.bookings()).as("%s", limit).isNotEmpty();
            List<Slot> slots = slots(booked, 2);
            Question look = Questions.seeing(slots);
            assertThat(ask(limit, look, BEGIN + 5))
                    .as("%s, as told to who booked", limit)
                    .isEqualTo(before);
            Question undo = Questions.undo(slots);
            assertThat(ask(limit, undo, BEGIN + 5)).as("%s", limit).isEqualTo(before);
        }
    }

    @Test
    @DisplayName("a request for more of several limits than is booked at once leaves no trace when undone")
    void manyBookingsUndone() {
        List<Limit> windows =
                List.of(Limit.fixedWindow(1_000_000, Duration.ofDays(1)), Limit.slidingWindowCounter(1_000, PERIOD));
        for (Limit window : windows) {
            Limit limit = Limit.allOf(Limit.tokenBucket(1, 10, PERIOD), window);
            host.flush();
            ask(limit, Questions.take(1), BEGIN);
            Answer alone = ask(limit, Questions.book(1, 1, 0), BEGIN);
            assertThat(alone.bookings()).hasSize(1);
            ask(limit, Questions.undo(slots(alone, 1)), BEGIN);
            Answer many = ask(limit, Questions.book(1, 100, PERIOD.toNanos() * 25), BEGIN);
            assertThat(many.bookings()).hasSizeGreaterThan(40);
            ask(limit, Questions.undo(slots(many, 1)), BEGIN);
            assertThat(ask(limit, Questions.book(1, 1, 0), BEGIN).bookings())
                    .as("%s", limit)
                    .isEqualTo(alone.bookings());
        }
    }

    private static List<Slot> slots(Answer booked, int one) {
        return booked.bookings().stream()
                .map(each -> new Slot(each.permits(), booked.nowNanos() + each.inNanos(), false, one, false))
                .toList();
    }

    @Test
    @DisplayName("of several limits a request takes from all or from none, and one counts requests")
    void allOrNothing() {
        Limit limit = Limit.allOf(
                Limit.of(10, PERIOD), Limit.of(3, PERIOD.multipliedBy(2)).countingCalls());
        assertThat(ask(limit, Questions.take(5), BEGIN).granted()).isEqualTo(5);
        assertThat(ask(limit, Questions.take(6), BEGIN).granted()).isZero();
        assertThat(ask(limit, Questions.take(1), BEGIN).granted()).isEqualTo(1);
        assertThat(ask(limit, Questions.take(1), BEGIN).granted()).isEqualTo(1);
        Answer fourth = ask(limit, Questions.take(1), BEGIN);
        assertThat(fourth.granted()).isZero();
        assertThat(fourth.waitNanos()).isEqualTo(PERIOD.multipliedBy(2).toNanos());
        assertThat(host.jedis().keys("*")).hasSize(2);
    }

    @Test
    @DisplayName(
            "however much is charged, of whatever limit, and under whichever it is asked for then, there is an answer")
    void chargedBeyondMeasure() {
        for (Duration period : List.of(PERIOD, Duration.ofDays(1), Duration.ofDays(25_000))) {
            for (Limit limit : all(period)) {
                assertThat(ask(limit, Questions.look(), BEGIN).available())
                        .as("%s, as the one before left it", limit)
                        .isLessThanOrEqualTo(limit.capacity());
                for (int charges = 0; charges < 3; charges++) {
                    ask(limit, Questions.charge(Integer.MAX_VALUE), BEGIN);
                }
            }
        }
        for (Limit limit :
                List.of(Limit.fixedWindow(1, Duration.ofDays(1)), Limit.fixedWindow(4, Duration.ofDays(25_000)))) {
            assertThat(ask(limit, Questions.charge(200_000_000), BEGIN).available())
                    .isNegative();
            assertThat(ask(limit, Questions.take(1), BEGIN).waitNanos()).isPositive();
        }
    }

    @Test
    @DisplayName("a window remembers a debt of a thousand permits, however often it is charged")
    void boundedDebt() {
        Limit limit = Limit.of(1, PERIOD);
        for (int charges = 0; charges < 3; charges++) {
            ask(limit, Questions.charge(700), BEGIN);
        }
        assertThat(host.jedis().strlen(host.jedis().keys("*").iterator().next()))
                .isLessThan(34_000);
        Answer back = ask(limit, Questions.undo(Questions.booked(1, BEGIN * 1000)), BEGIN);
        assertThat(back.available()).isBetween(-1_000L, -990L);
    }

    @Test
    @DisplayName("a refusal writes nothing")
    void refusalsWriteNothing() {
        for (Limit limit : all()) {
            host.flush();
            while (ask(limit, Questions.take(1), BEGIN).granted() > 0) {
                // until there are none
            }
            String key = host.jedis().keys("*").iterator().next();
            String before = host.jedis().get(key);
            ask(limit, Questions.take(1), BEGIN + 7);
            ask(limit, Questions.look(), BEGIN + 7);
            assertThat(host.jedis().get(key)).as("%s", limit).isEqualTo(before);
        }
    }

    @Test
    @DisplayName("a clock that steps back keeps nobody waiting longer than a fresh limit would, and brings no permits")
    void clockStepsBack() {
        for (Limit limit : all()) {
            for (long step : STEPS) {
                host.flush();
                assertThat(takeAll(limit, BEGIN)).isPositive();
                long earlier = BEGIN - step;
                Answer refused = ask(limit, Questions.take(1), earlier);
                assertThat(refused.granted()).as("%s, %d us", limit, step).isZero();
                assertThat(refused.waitNanos())
                        .as("%s, %d us", limit, step)
                        .isPositive()
                        .isLessThanOrEqualTo(2 * PERIOD.toNanos());
                assertThat(ask(limit, Questions.take(1), earlier + 2 * PERIOD_MICROS)
                                .granted())
                        .as("%s, %d us", limit, step)
                        .isEqualTo(1);
            }
        }
    }

    @Test
    @DisplayName("a clock that steps back takes no permits: as many are granted as there were")
    void clockStepsBackTakesNone() {
        for (Limit limit : all()) {
            for (long step : STEPS) {
                host.flush();
                long left = ask(limit, Questions.take(1), BEGIN).available();
                assertThat(ask(limit, Questions.look(), BEGIN - step).available())
                        .as("%s, %d us", limit, step)
                        .isEqualTo(left);
                assertThat(takeAll(limit, BEGIN - step))
                        .as("%s, %d us", limit, step)
                        .isEqualTo((int) left);
            }
        }
    }

    @Test
    @DisplayName("a clock that jumps ahead brings one full limit and no more")
    void clockJumpsAhead() {
        for (Limit limit : all()) {
            host.flush();
            int atFirst = takeAll(limit, BEGIN);
            assertThat(takeAll(limit, BEGIN + 50 * PERIOD_MICROS))
                    .as("%s", limit)
                    .isEqualTo(atFirst);
        }
    }

    private static int takeAll(Limit limit, long atMicros) {
        int taken = 0;
        while (ask(limit, Questions.take(1), atMicros).granted() > 0) {
            taken++;
        }
        return taken;
    }

    @Test
    @DisplayName("another limit holds over what was granted under the one before")
    void anotherLimit() {
        ask(Limit.of(5, PERIOD), Questions.take(5), BEGIN);
        assertThat(ask(Limit.of(7, PERIOD), Questions.take(3), BEGIN).granted()).isZero();
        assertThat(ask(Limit.of(7, PERIOD), Questions.take(2), BEGIN).granted()).isEqualTo(2);
        host.flush();
        ask(Limit.tokenBucket(5, 5, PERIOD), Questions.take(5), BEGIN);
        Answer slower = ask(Limit.tokenBucket(5, 5, PERIOD.multipliedBy(2)), Questions.look(), BEGIN);
        assertThat(slower.fullNanos()).isEqualTo(PERIOD.multipliedBy(2).toNanos());
    }

    @Test
    @DisplayName("an exact window of very many permits remembers few times, and admits too few rather than too many")
    void boundedMemory() {
        int permits = 4 * Member.MOST_TIMES;
        Limit limit = Limit.of(permits, PERIOD);
        long step = PERIOD_MICROS / permits;
        long admitted = 0;
        for (int i = 0; i < permits; i += 8) {
            admitted += ask(limit, Questions.take(8), BEGIN + i * step).granted();
        }
        assertThat(admitted).isEqualTo(permits);
        assertThat(host.jedis().strlen(host.jedis().keys("*").iterator().next()))
                .isLessThan(40L * Member.MOST_TIMES);
        assertThat(ask(limit, Questions.take(8), BEGIN + PERIOD_MICROS - 1).granted())
                .isZero();
        assertThat(ask(limit, Questions.take(8), BEGIN + PERIOD_MICROS + PERIOD_MICROS / 1024 + 1)
                        .granted())
                .isEqualTo(8);
    }

    @Test
    @DisplayName("limits of one's own have no script")
    void limitsOfOnesOwn() {
        Limit own = new Limit() {
            @Override
            public int capacity() {
                return 1;
            }

            @Override
            public PermitPolicy newPolicy(long nowNanos) {
                return Limit.unlimited().newPolicy(nowNanos);
            }
        };
        assertThatThrownBy(() -> Member.of(own, PERIOD)).isInstanceOf(IllegalArgumentException.class);
    }
}
