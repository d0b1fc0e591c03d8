package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Bookings that are given back to a store that has lost them, and to one whose clock was set back since. */
class LostBookingsLawsTest extends ScriptsOnAServer {

    private static final int PERMITS = 4;
    private static final Duration PERIOD = Duration.ofMinutes(10);

    /** How far the clock is set back: an hour is six periods, the others are none; 201 s end before the aligned window begins. */
    private static final long[] STEPS = {1_000_000, 201_000_000, 599_999_999, 3_600_000_000L};

    private static final List<Limit> REFILLED = List.of(
            Limit.tokenBucket(4, 4, PERIOD),
            Limit.tokenBucket(1, 4, PERIOD),
            Limit.leakyBucket(4, PERIOD).withSlack(3),
            Limit.fixedWindow(4, PERIOD),
            Limit.fixedWindow(4, PERIOD).aligned(),
            Limit.slidingWindowCounter(4, PERIOD),
            Limit.tokenBucket(4, 2, PERIOD).refillingInSteps(),
            Limit.tokenBucket(4, 4, PERIOD).countingCalls());

    private static List<Limit> all() {
        List<Limit> all = new ArrayList<>(REFILLED);
        all.add(Limit.of(4, PERIOD));
        all.add(Limit.slidingWindow(4, PERIOD, 3));
        all.add(Limit.allOf(
                Limit.of(9, PERIOD),
                Limit.tokenBucket(6, 4, PERIOD),
                Limit.fixedWindow(4, PERIOD).countingCalls()));
        return all;
    }

    @Test
    @DisplayName("a booking from before the store lost its key changes nothing when given back")
    void changesNothing() {
        for (Limit limit : all()) {
            for (long seed = 1; seed <= 60; seed++) {
                Random random = new Random(seed);
                host.flush();
                List<Slot> booked = bookings(limit, random, BEGIN);
                host.flush();
                long now = use(limit, random);
                Answer before = ask(limit, Questions.look(), now);
                Answer after = ask(limit, Questions.undo(booked), now);
                assertThat(after).as("%s, seed %d, %s", limit, seed, booked).isEqualTo(before);
                assertThat(ask(limit, Questions.seeing(booked), now))
                        .as("as told to who booked, %s, seed %d", limit, seed)
                        .isEqualTo(before);
            }
        }
    }

    private static List<Slot> bookings(Limit limit, Random random, long now) {
        int one = 1 + random.nextInt(Math.min(PERMITS, limit.capacity()));
        Answer answer = ask(limit, Questions.book(one, 5 + random.nextInt(9), PERIOD.toNanos() * 9), now);
        List<Slot> booked = new ArrayList<>();
        for (Answer.Booking each : answer.bookings()) {
            booked.add(new Slot(each.permits(), answer.nowNanos() + each.inNanos(), false, one, false));
        }
        booked.sort(Comparator.comparingLong(Slot::atNanos).reversed());
        assertThat(booked).isNotEmpty();
        return booked;
    }

    /** Takes and charges, all before the first of the bookings is due; returns when that ends. */
    private static long use(Limit limit, Random random) {
        long now = BEGIN;
        for (int step = random.nextInt(6); step >= 0; step--) {
            now += random.nextInt(1_000);
            Question question = random.nextInt(4) == 0
                    ? Questions.charge(1 + random.nextInt(2 * PERMITS))
                    : Questions.take(1 + random.nextInt(Math.min(PERMITS, limit.capacity())));
            Answer unused = ask(limit, question, now);
        }
        return now;
    }

    @Test
    @DisplayName("a request that leaves after the store was emptied frees no more than one full limit")
    void cancelledAfterwards() {
        for (Limit limit : all()) {
            host.flush();
            VirtualTimeSource time = new VirtualTimeSource(0);
            RateLimiter one = on(new ScriptStore(host, "test", time, "one"), limit, time);
            RateLimiter other = on(new ScriptStore(host, "test", time, "other"), limit, time);
            int full = takeAll(one);
            CompletableFuture<Lease> waiting = one.acquire();
            assertThat(waiting).isNotDone();
            host.flush();
            assertThat(takeAll(other)).as("%s", limit).isEqualTo(full);
            waiting.cancel(false);
            time.advanceBy(Duration.ofSeconds(1));
            assertThat(takeAll(on(new ScriptStore(host, "test", time, "third"), limit, time)))
                    .as("%s", limit)
                    .isZero();
        }
    }

    private static RateLimiter on(Store store, Limit limit, VirtualTimeSource time) {
        return ModelFleet.builder(limit, store, WhenUnavailable.REFUSE)
                .timeSource(time)
                .build();
    }

    private static int takeAll(RateLimiter limiter) {
        int taken = 0;
        while (limiter.tryAcquire().isAcquired()) {
            taken++;
        }
        return taken;
    }

    @Test
    @DisplayName("a permit taken before the clock was set back comes back, though its time is to come")
    void takenBeforeTheClockWasSetBack() {
        for (Limit limit : REFILLED) {
            for (long step : STEPS) {
                checkTakenComesBack(limit, step, false);
                checkTakenComesBack(limit, step, true);
            }
        }
    }

    private static void checkTakenComesBack(Limit limit, long step, boolean part) {
        host.flush();
        int full = (int) ask(limit, Questions.look(), BEGIN).available();
        assertThat(ask(limit, Questions.take(1), BEGIN).granted()).isEqualTo(1);
        Question back = Questions.undo(Slot.taken(1, BEGIN * 1000, part));
        boolean isCounted = part && LimitPart.of(limit).stream().anyMatch(LimitPart::calls);
        assertThat(ask(limit, back, BEGIN - step).available())
                .as("%s, %d us, part %s", limit, step, part)
                .isEqualTo(isCounted ? full - 1 : full);
    }

    @Test
    @DisplayName("a permit that a limiter gives back comes back after the clock was set back")
    void givenBackByANode() {
        for (Limit limit : REFILLED) {
            for (long step : STEPS) {
                checkComesBackByANode(limit, step);
            }
        }
    }

    private static void checkComesBackByANode(Limit limit, long step) {
        host.flush();
        VirtualTimeSource time = new VirtualTimeSource(0);
        long[] now = {BEGIN};
        Store store = (kept, question, listener) -> listener.answered(ask(kept, question, now[0]));
        RateLimiter limiter = on(store, limit, time);
        int full = (int) limiter.availablePermits();
        Lease lease = limiter.tryAcquire();
        now[0] -= step;
        lease.giveBack();
        limiter.close();
        assertThat(ask(limit, Questions.look(), now[0]).available())
                .as("%s, %d us", limit, step)
                .isEqualTo(full);
    }

    @Test
    @DisplayName("bookings that are known leave no trace when they are given back after the clock was set back")
    void bookedBeforeTheClockWasSetBack() {
        for (Limit limit : REFILLED) {
            for (long step : STEPS) {
                Answer expected = setBackTwice(limit, step, null);
                for (long seed = 1; seed <= 10; seed++) {
                    Answer after = setBackTwice(limit, step, new Random(seed));
                    assertThat(after)
                            .as("%s, %d us, seed %d", limit, step, seed)
                            .isEqualTo(expected);
                }
            }
        }
    }

    /** Takes all, sets the clock back, books, sets it back again, and gives back what was booked. */
    private static Answer setBackTwice(Limit limit, long step, @Nullable Random random) {
        host.flush();
        assertThat(takeAll(limit, BEGIN)).isPositive();
        Answer unused = ask(limit, Questions.look(), BEGIN - step);
        List<Slot> booked = random == null ? List.of() : bookings(limit, random, BEGIN - step);
        return ask(limit, Questions.undo(booked), BEGIN - 2 * step);
    }

    @Test
    @DisplayName("a permit taken before the clock was set back takes no other booking along")
    void othersHaveBookedSinceTheClockWasSetBack() {
        List<Limit> ofOneUse = List.of(
                Limit.leakyBucket(4, PERIOD),
                Limit.fixedWindow(4, PERIOD),
                Limit.fixedWindow(4, PERIOD).aligned(),
                Limit.slidingWindowCounter(4, PERIOD),
                Limit.tokenBucket(4, 4, PERIOD).refillingInSteps(),
                Limit.of(4, PERIOD),
                Limit.slidingWindow(4, PERIOD, 3));
        for (Limit limit : ofOneUse) {
            for (long step : STEPS) {
                host.flush();
                int full = (int) takeAll(limit, BEGIN);
                long now = BEGIN - step;
                Answer booking = ask(limit, Questions.book(full, 1, 0), now);
                assertThat(booking.bookings()).hasSize(1);
                Answer back = ask(limit, Questions.undo(Slot.taken(full, BEGIN * 1000, false)), now + 1);
                long due = now + booking.bookings().get(0).inNanos() / 1000;
                assertThat(ask(limit, Questions.take(1), due).granted())
                        .as("%s, %d us: %s", limit, step, back)
                        .isZero();
            }
        }
    }

    private static long takeAll(Limit limit, long now) {
        long taken = ask(limit, Questions.taking(Wanted.atOnce(1, 100)), now).granted();
        assertThat(taken).isPositive();
        return taken;
    }

    @Test
    @DisplayName("a permit given back after a step of the clock makes no request wait for the step")
    void nobodyWaitsForTheStep() {
        for (Limit limit : all()) {
            for (long step : STEPS) {
                checkNobodyWaits(limit, step, false);
                checkNobodyWaits(limit, step, true);
            }
        }
    }

    private static void checkNobodyWaits(Limit limit, long step, boolean part) {
        host.flush();
        int full = (int) takeAll(limit, BEGIN);
        long now = BEGIN - step;
        Answer back = ask(limit, Questions.undo(Slot.taken(1, BEGIN * 1000, part)), now);
        Answer asked = ask(limit, Questions.take(full), now + 1);
        assertThat(asked.waitNanos())
                .as("%s, %d us, part %s, %s", limit, step, part, back)
                .isBetween(0L, 2 * PERIOD.toNanos());
    }
}
