package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Limits of the shortest and the longest periods that there are, on a server whose clock is set back and ahead. */
class ExtremePeriodsLawsTest extends ScriptsOnAServer {

    private static final Duration LONGEST = Duration.ofNanos((1L << 61) - 1);

    private static final List<Duration> PERIODS = List.of(
            Duration.ofNanos(1),
            Duration.ofNanos(1_001),
            Duration.ofMillis(1),
            Duration.ofDays(365),
            Duration.ofDays(365 * 57),
            Duration.ofDays(365 * 70),
            LONGEST);

    private static final List<Integer> PERMITS = List.of(1, 5, Integer.MAX_VALUE);

    /** By permits and a period; a policy of this JVM decides likewise in microseconds. */
    private static List<Function<Duration, Limit>> plain(int permits) {
        return List.of(
                period -> Limit.of(permits, period),
                period -> Limit.tokenBucket(permits, permits, period),
                period -> Limit.leakyBucket(permits, period),
                period -> Limit.fixedWindow(permits, period),
                period -> Limit.fixedWindow(permits, period).aligned(),
                period -> Limit.slidingWindowCounter(permits, period),
                period -> Limit.tokenBucket(permits, permits, period).refillingInSteps());
    }

    private static List<Limit> all(int permits, Duration period) {
        Stream<Function<Duration, Limit>> others = Stream.of(
                each -> Limit.slidingWindow(permits, each, 7),
                each -> Limit.leakyBucket(permits, each).withSlack(3),
                each -> Limit.tokenBucket(permits, permits, each).startingWith(0),
                each -> Limit.tokenBucket(permits, permits, each)
                        .startingWith(0)
                        .refillingInSteps(),
                each -> Limit.fixedWindow(permits, each).aligned().countingCalls(),
                each -> Limit.allOf(
                        Limit.of(permits, each),
                        Limit.fixedWindow(permits, each).aligned()),
                each -> Limit.allOf(
                        Limit.tokenBucket(permits, permits, each),
                        Limit.of(3, each).countingCalls()));
        return Stream.concat(plain(permits).stream(), others)
                .flatMap(limit -> ofScripts(limit, period).stream())
                .toList();
    }

    /** A limit, unless it is one that is refused, as its bucket would take too long to fill. */
    private static Optional<Limit> ofScripts(Function<Duration, Limit> of, Duration period) {
        try {
            Limit limit = of.apply(period);
            Member.of(limit, ScriptHost.LEASE);
            return Optional.of(limit);
        } catch (IllegalArgumentException refused) {
            return Optional.empty();
        }
    }

    @Test
    @DisplayName(
            "there is an answer whatever is asked, taken, booked, charged and given back, and wherever the clock is set")
    void thereIsAnAnswer() {
        for (Duration period : PERIODS) {
            for (int permits : PERMITS) {
                for (Limit limit : all(permits, period)) {
                    for (long seed = 1; seed <= 5; seed++) {
                        host.flush();
                        new Walk(limit, period, seed).play();
                    }
                }
            }
        }
    }

    @Test
    @DisplayName("with the longest periods takes, waits and what is available are those of the policies of one JVM")
    void sameDecisions() {
        for (Duration period : List.of(Duration.ofDays(365 * 57), Duration.ofDays(365 * 70), LONGEST)) {
            long micros = micros(period);
            for (Function<Duration, Limit> of : plain(5)) {
                for (long seed = 1; seed <= 10 && ofScripts(of, period).isPresent(); seed++) {
                    host.flush();
                    compare(of.apply(period), of.apply(Duration.ofNanos(micros)), micros, seed);
                }
            }
        }
    }

    /** Rounded up, as for the scripts. */
    private static long micros(Duration period) {
        return (period.toNanos() - 1) / 1000 + 1;
    }

    /** Policies do not know what a unit of time is: this one counts microseconds. */
    private static void compare(Limit limit, Limit inMicros, long micros, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        PermitPolicy policy = inMicros.newPolicy(BEGIN);
        long now = BEGIN;
        for (int step = 0; step < 20; step++) {
            int permits = 1 + random.nextInt(5);
            long wait = policy.tryTake(permits, now);
            Answer answer = ask(limit, Questions.take(permits), now);
            String about = "%s, seed %d, step %d".formatted(limit, seed, step);
            assertThat(answer.granted()).as(about).isEqualTo(wait == 0 ? permits : 0);
            assertThat(answer.waitNanos() / 1000).as(about).isEqualTo(wait);
            assertThat(answer.available()).as(about).isEqualTo(policy.available(now));
            now += random.nextLong(micros / 10);
        }
    }

    @Test
    @DisplayName("a bucket that takes longer than a script can count is refused by name, and the slowest one is kept")
    void bucketsThatAreTooSlow() {
        Duration longest = Duration.of(1L << 51, ChronoUnit.MICROS);
        List<Function<Duration, Limit>> buckets = List.of(
                period -> Limit.tokenBucket(1, 1, period),
                period -> Limit.tokenBucket(4, 4, period).startingWith(0),
                period -> Limit.tokenBucket(4, 1, period.dividedBy(4)),
                period -> Limit.leakyBucket(4, period),
                period -> Limit.leakyBucket(1, period.dividedBy(4)).withSlack(3));
        for (Function<Duration, Limit> bucket : buckets) {
            assertThat(Member.of(bucket.apply(longest), ScriptHost.LEASE)).hasSize(1);
            Limit tooSlow = bucket.apply(longest.plusDays(1));
            for (Limit refused : List.of(tooSlow, Limit.allOf(Limit.concurrency(4), tooSlow))) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> Member.of(refused, ScriptHost.LEASE))
                        .withMessageStartingWith("limit must")
                        .withMessageEndingWith("but is " + tooSlow);
            }
        }
    }

    @Test
    @DisplayName("a window that began with the time of the server is the same when its clock is set back a little")
    void longerThanTheClockHasGone() {
        Limit limit = Limit.fixedWindow(4, LONGEST).aligned();
        long micros = micros(LONGEST);
        assertThat(ask(limit, Questions.take(4), BEGIN).granted()).isEqualTo(4);
        Answer earlier = ask(limit, Questions.take(1), BEGIN - 1_000_000);
        assertThat(earlier.granted()).isZero();
        assertThat(earlier.waitNanos() / 1000).isEqualTo(micros - (BEGIN - 1_000_000));
        assertThat(ask(limit, Questions.undo(Slot.taken(1, BEGIN * 1000, false)), BEGIN - 999_999)
                        .available())
                .isEqualTo(1);
    }

    private static final class Walk {

        /** A server without a clock of its own begins here. */
        private static final long EARLIEST = Duration.ofHours(1).toNanos() / 1000;

        private static final long YEAR = Duration.ofDays(365).toNanos() / 1000;

        private final Limit limit;
        private final long micros;
        private final int permits;
        private final SplittableRandom random;
        private final List<Slot> taken = new ArrayList<>();
        private final StringBuilder trace = new StringBuilder();
        private long now = BEGIN;

        Walk(Limit limit, Duration period, long seed) {
            this.limit = limit;
            this.micros = micros(period);
            this.permits = Math.min(1_000_000, limit.capacity());
            this.random = new SplittableRandom(seed);
            trace.append(limit).append(", seed ").append(seed).append(':');
        }

        void play() {
            for (int step = 0; step < 25; step++) {
                switch (random.nextInt(12)) {
                    case 0 ->
                        check(Questions.charge(1 + random.nextInt(random.nextBoolean() ? 5 : Integer.MAX_VALUE - 1)));
                    case 1, 2 -> check(Questions.undo(some(true)));
                    case 3 -> check(Questions.seeing(some(false)));
                    case 4, 5, 6 -> take(Questions.book(one(), 1 + random.nextInt(4), 1_000L * micros));
                    case 7 -> now = Math.max(EARLIEST, now - back());
                    default -> take(Questions.take(one()));
                }
                now += random.nextBoolean() ? random.nextLong(Math.min(YEAR, micros) + 1) : random.nextInt(3);
            }
        }

        private int one() {
            return 1 + random.nextInt(random.nextBoolean() ? permits : Math.min(permits, 3));
        }

        private long back() {
            return switch (random.nextInt(3)) {
                case 0 -> 1 + random.nextLong(1_000_000);
                case 1 -> random.nextLong(YEAR);
                default -> BEGIN;
            };
        }

        private List<Slot> some(boolean gone) {
            List<Slot> some = new ArrayList<>();
            for (int i = random.nextInt(4); i >= 0 && !taken.isEmpty(); i--) {
                int which = random.nextInt(taken.size());
                some.add(gone ? taken.remove(which) : taken.get(which));
            }
            return some;
        }

        private void take(Question question) {
            Answer answer = check(question);
            for (long granted = answer.granted(); granted > 0; granted -= question.one()) {
                taken.add(Slot.taken(question.one(), answer.nowNanos(), random.nextBoolean()));
            }
            for (Answer.Booking booking : answer.bookings()) {
                taken.add(new Slot(
                        booking.permits(), answer.nowNanos() + booking.inNanos(), false, question.one(), false));
            }
        }

        private Answer check(Question question) {
            trace.append("\n  +").append(now - BEGIN).append(' ').append(question);
            try {
                Answer answer = ask(limit, question, now);
                assertThat(answer.nowNanos()).isEqualTo(now * 1000);
                assertThat(answer.granted()).isBetween(0L, question.wanted().most());
                assertThat(answer.available()).isLessThanOrEqualTo(Integer.MAX_VALUE);
                assertThat(Math.min(answer.nextNanos(), answer.largestNanos())).isNotNegative();
                assertThat(answer.fullNanos()).isNotNegative();
                return answer;
            } catch (RuntimeException | AssertionError failed) {
                throw new AssertionError(trace.toString(), failed);
            }
        }
    }
}
