package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.limit.AllOf;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Buckets of which something comes back, booked or taken, in whole or in part, while others have booked. */
class BucketGivenBackLawsTest extends ScriptsOnAServer {

    private static final Duration PERIOD = Duration.ofMinutes(10);
    private static final long PERIOD_MICROS = PERIOD.toNanos() / 1000;
    private static final int SEEDS = 120;
    private static final int BOOKED = 5;

    /** By less than a microsecond each. */
    private static final long ROUNDED_NANOS = BOOKED * 1_000;

    private static final List<Function<Duration, Limit>> BUCKETS = List.of(
            period -> Limit.leakyBucket(4, period),
            period -> Limit.leakyBucket(7, period).withSlack(3),
            period -> Limit.tokenBucket(1, 4, period),
            period -> Limit.tokenBucket(4, 4, period),
            period -> Limit.tokenBucket(5, 7, period),
            period -> Limit.tokenBucket(40, 20, period),
            period -> Limit.allOf(Limit.of(8, period), Limit.tokenBucket(4, 20, period)),
            period -> Limit.allOf(
                    Limit.of(8, period), Limit.leakyBucket(20, period).withSlack(2)),
            period -> Limit.allOf(Limit.tokenBucket(3, 4, period), Limit.tokenBucket(5, 12, period)));

    @Test
    @DisplayName("leaves room for no more than there is beside what others have booked, whatever each asks for")
    void noRoomBesideOthers() {
        for (Function<Duration, Limit> bucket : BUCKETS) {
            for (long seed = 1; seed <= SEEDS; seed++) {
                host.flush();
                new Walk(bucket, seed).play();
            }
        }
    }

    @Test
    @DisplayName("a request for several permits given back does not delay a booking")
    void severalBeforeOneWhoHasBooked() {
        Limit limit = Limit.leakyBucket(7, PERIOD).withSlack(3);
        assertThat(ask(limit, Questions.take(5), BEGIN).granted()).isEqualTo(5);
        long inNanos =
                ask(limit, Questions.book(3, 1, 0), BEGIN).bookings().get(0).inNanos();
        ask(limit, Questions.undo(Questions.booked(5, BEGIN * 1000)), BEGIN);
        Answer several = ask(limit, Questions.take(5), BEGIN);
        assertThat(several.granted()).isZero();
        assertThat(several.waitNanos()).isGreaterThanOrEqualTo(inNanos);
    }

    @Test
    @DisplayName("a booking behind one that left leaves its place, too, and the first is free")
    void oneAfterTheOther() {
        for (Limit limit : List.of(Limit.tokenBucket(1, 4, PERIOD), Limit.leakyBucket(4, PERIOD))) {
            host.flush();
            ask(limit, Questions.take(1), BEGIN);
            List<Answer.Booking> first =
                    ask(limit, Questions.book(1, 1, 0), BEGIN).bookings();
            List<Answer.Booking> second =
                    ask(limit, Questions.book(1, 1, 0), BEGIN).bookings();
            ask(
                    limit,
                    Questions.undo(
                            Questions.booked(1, BEGIN * 1000 + first.get(0).inNanos())),
                    BEGIN);
            ask(
                    limit,
                    Questions.undo(
                            Questions.booked(1, BEGIN * 1000 + second.get(0).inNanos())),
                    BEGIN);
            assertThat(ask(limit, Questions.book(1, 1, 0), BEGIN).bookings())
                    .as("%s", limit)
                    .isEqualTo(first);
        }
    }

    @Test
    @DisplayName(
            "bookings that are undone from the latest on leave what was there before each, but for what they are rounded by")
    void fromTheLatestOn() {
        List<Limit> alone = BUCKETS.stream()
                .map(bucket -> bucket.apply(PERIOD))
                .filter(limit -> !(limit instanceof AllOf))
                .toList();
        for (Limit limit : alone) {
            for (long seed = 1; seed <= 40; seed++) {
                host.flush();
                Deque<Answer> before = new ArrayDeque<>();
                Deque<Slot> booked = new ArrayDeque<>();
                bookOneAfterTheOther(limit, new SplittableRandom(seed), before, booked);
                for (Slot each : booked) {
                    Answer after = ask(limit, Questions.undo(each), BEGIN);
                    String about = limit + ", seed " + seed + ", without " + each + " of " + booked;
                    Answer as = before.pop();
                    assertThat(after.fullNanos()).as(about).isCloseTo(as.fullNanos(), within(ROUNDED_NANOS));
                    assertThat(after.largestNanos()).as(about).isCloseTo(as.largestNanos(), within(ROUNDED_NANOS));
                }
            }
        }
    }

    private static void bookOneAfterTheOther(
            Limit limit, SplittableRandom random, Deque<Answer> before, Deque<Slot> booked) {
        ask(limit, Questions.take(limit.capacity()), BEGIN);
        for (int i = 0; i < BOOKED; i++) {
            before.push(ask(limit, Questions.look(), BEGIN));
            int one = 1 + random.nextInt(limit.capacity());
            Answer answer = ask(limit, Questions.book(one, 1, 0), BEGIN);
            long due = BEGIN * 1000 + answer.bookings().get(0).inNanos();
            booked.push(Questions.booked(one, due));
        }
    }

    @Test
    @DisplayName("a permit settled late comes back though as much has flowed in since")
    void settledLate() {
        Limit limit = Limit.tokenBucket(100, 100, PERIOD);
        long oneMicros = PERIOD_MICROS / 100;
        ask(limit, Questions.take(90), BEGIN);
        ask(limit, Questions.undo(Slot.taken(1, BEGIN * 1000, true)), BEGIN);
        ask(limit, Questions.take(10), BEGIN);
        Answer before = ask(limit, Questions.look(), BEGIN + 30 * oneMicros);
        ask(limit, Questions.undo(Slot.taken(9, BEGIN * 1000, true)), BEGIN + 30 * oneMicros);
        assertThat(ask(limit, Questions.look(), BEGIN + 30 * oneMicros).available())
                .isEqualTo(before.available() + 9);
        ask(limit, Questions.undo(Slot.taken(80, BEGIN * 1000, true)), BEGIN + 95 * oneMicros);
        assertThat(ask(limit, Questions.look(), BEGIN + 95 * oneMicros).fullNanos())
                .isZero();
    }

    @Test
    @DisplayName(
            "once a take was settled, what is taken after it comes back in full for twice the time that it takes to fill")
    void settledAfterAnother() {
        for (boolean oneBooksAndLeaves : new boolean[] {false, true}) {
            for (int later = 1; later < 20; later++) {
                host.flush();
                long back = comesBack(oneBooksAndLeaves, BEGIN + later * PERIOD_MICROS / 10);
                assertThat(back).as("%d later, %s", later, oneBooksAndLeaves).isEqualTo(10);
            }
        }
    }

    /** Of a bucket that is empty, and from which all is taken that flows in: how much comes back of the first of that. */
    private static long comesBack(boolean oneBooksAndLeaves, long now) {
        Limit limit = Limit.tokenBucket(100, 100, PERIOD);
        ask(limit, Questions.take(2), BEGIN);
        ask(limit, Questions.undo(Slot.taken(1, BEGIN * 1000, true)), BEGIN);
        assertThat(ask(limit, Questions.take(99), BEGIN).granted()).isEqualTo(99);
        if (oneBooksAndLeaves) {
            Answer booked = ask(limit, Questions.book(100, 1, 0), BEGIN);
            long due = BEGIN * 1000 + booked.bookings().get(0).inNanos();
            ask(limit, Questions.undo(Questions.booked(100, due)), BEGIN);
        }
        long first = BEGIN + PERIOD_MICROS / 10;
        for (long at = first; at <= now; at += PERIOD_MICROS / 10) {
            assertThat(ask(limit, Questions.take(10), at).granted()).isEqualTo(10);
        }
        return ask(limit, Questions.undo(Slot.taken(10, first * 1000, false)), now)
                .available();
    }

    @Test
    @DisplayName("once the pace has changed, nothing is left of what was booked before and given back after")
    void undoneUnderAnotherPace() {
        for (int hours : new int[] {1, 4}) {
            host.flush();
            Limit before = Limit.tokenBucket(1, 1, Duration.ofHours(2));
            Limit after = Limit.tokenBucket(1, 1, Duration.ofHours(hours));
            ask(before, Questions.take(1), BEGIN);
            long second = ask(before, Questions.book(1, 1, 0), BEGIN)
                    .bookings()
                    .get(0)
                    .inNanos();
            ask(after, Questions.undo(Questions.booked(1, BEGIN * 1000 + second)), BEGIN);
            assertThat(ask(after, Questions.book(1, 1, 0), BEGIN).bookings())
                    .containsExactly(new Answer.Booking(Duration.ofHours(hours).toNanos(), 1));
        }
    }

    /** Permits that are taken or booked for that time. */
    private record Use(int permits, long at, boolean settled) {}

    private static final class Walk {

        private final SplittableRandom random;
        private final Limit limit;
        private final Function<Duration, Limit> bucket;
        private final List<Use> uses = new ArrayList<>();
        private final StringBuilder trace = new StringBuilder();
        private long now = BEGIN;

        Walk(Function<Duration, Limit> bucket, long seed) {
            this.bucket = bucket;
            this.random = new SplittableRandom(seed);
            this.limit = bucket.apply(PERIOD);
            trace.append("seed ").append(seed).append(", ").append(limit).append(':');
        }

        void play() {
            for (int step = 0; step < 30; step++) {
                if (random.nextInt(3) > 0) {
                    now += random.nextInt((int) PERIOD_MICROS / 8);
                }
                List<Use> returnable =
                        uses.stream().filter(use -> !use.settled()).toList();
                if (returnable.isEmpty() || random.nextInt(10) > 3) {
                    book(
                            1 + random.nextInt(limit.capacity()),
                            1 + random.nextInt(3),
                            random.nextInt(2) * PERIOD_MICROS);
                } else {
                    giveBack(returnable.get(random.nextInt(returnable.size())));
                }
                usesAreLegal();
            }
        }

        private void book(int permits, int requests, long aheadMicros) {
            Answer answer = ask(limit, Questions.book(permits, requests, aheadMicros * 1000), now);
            use((int) answer.granted(), permits, now);
            for (Answer.Booking booking : answer.bookings()) {
                use(booking.permits(), permits, now + booking.inNanos() / 1000);
            }
        }

        private void use(int all, int one, long at) {
            for (int permits = 0; permits < all; permits += one) {
                uses.add(new Use(one, at, false));
                trace.append("\n at ").append(now - BEGIN).append(" takes ").append(one);
                trace.append(" for ").append(at - BEGIN);
            }
        }

        /** All of it, or some of what is in use already. */
        private void giveBack(Use use) {
            boolean part = use.at() <= now && use.permits() > 1 && random.nextBoolean();
            int returned = part ? 1 + random.nextInt(use.permits() - 1) : use.permits();
            long at = use.at() * 1000;
            Slot back = part ? Slot.taken(returned, at, true) : Questions.booked(returned, at);
            ask(limit, Questions.undo(back), now);
            trace.append("\n at ").append(now - BEGIN).append(" gives back ").append(returned);
            trace.append(" of ").append(use);
            if (part) {
                uses.set(uses.indexOf(use), new Use(use.permits() - returned, use.at(), true));
            } else {
                uses.remove(use);
            }
        }

        /** Policies do not know what a unit of time is: this one counts microseconds. */
        private void usesAreLegal() {
            PermitPolicy policy = bucket.apply(Duration.ofNanos(PERIOD_MICROS)).newPolicy(BEGIN);
            uses.stream()
                    .sorted(Comparator.comparingLong(Use::at))
                    .forEach(use -> assertThat(policy.tryTake(use.permits(), use.at()))
                            .as("%s %s", use, trace)
                            .isZero());
        }
    }
}
