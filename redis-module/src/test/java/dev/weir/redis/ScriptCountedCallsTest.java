package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** To a limit that counts requests, a request is what a permit is to the same limit otherwise. */
class ScriptCountedCallsTest extends ScriptsOnAServer {

    private static final long PERIOD = 600_000_000;
    private static final Duration LENGTH = Duration.ofNanos(PERIOD * 1_000);
    private static final int SIZE = 3;

    private static List<Limit> limits() {
        return List.of(
                Limit.of(20, LENGTH),
                Limit.slidingWindow(20, LENGTH, 8),
                Limit.fixedWindow(20, LENGTH),
                Limit.fixedWindow(20, LENGTH).aligned(),
                Limit.slidingWindowCounter(20, LENGTH),
                Limit.tokenBucket(20, 20, LENGTH),
                Limit.tokenBucket(6, 20, LENGTH).refillingInSteps(),
                Limit.leakyBucket(20, LENGTH));
    }

    @Test
    @DisplayName(
            "requests that are taken, booked, left out and undone by the dozen come to what as many permits come to")
    void asPermits() {
        for (Limit limit : limits()) {
            for (long seed = 1; seed <= 20; seed++) {
                host.flush();
                new Walk(limit, seed).play();
            }
        }
    }

    @Test
    @DisplayName(
            "what is available is what it is in one JVM, whichever of several limits count requests, or all together")
    void availableOfSeveral() {
        for (Limit limit : limits()) {
            for (Limit nested : nested(limit)) {
                host.flush();
                PermitPolicy policy = nested.newPolicy(BEGIN * 1_000);
                SplittableRandom random = new SplittableRandom(1);
                long now = BEGIN;
                for (int step = 0; step < 40; step++) {
                    int permits = 1 + random.nextInt(SIZE);
                    long wait = policy.tryTake(permits, now * 1_000);
                    Answer answer = ask(nested, Questions.take(permits), now);
                    String about = nested + ", seed 1, step " + step;
                    assertThat(answer.granted() > 0).as(about).isEqualTo(wait == PermitPolicy.TAKEN);
                    assertThat(answer.available()).as(about).isEqualTo(policy.available(now * 1_000));
                    now += random.nextLong(PERIOD / 30);
                }
            }
        }
    }

    private static List<Limit> nested(Limit limit) {
        Limit wide = Limit.fixedWindow(25, LENGTH);
        return List.of(
                limit.countingCalls(),
                Limit.allOf(limit.countingCalls()),
                Limit.allOf(limit.countingCalls(), Limit.unlimited()),
                Limit.allOf(limit.countingCalls(), wide),
                Limit.allOf(limit, wide.countingCalls()),
                Limit.allOf(limit, wide).countingCalls(),
                Limit.allOf(limit.countingCalls(), wide).countingCalls());
    }

    /** The same trace at two keys: of permits one by one, and of requests for several at a limit that counts requests. */
    private static final class Walk {

        private final Limit limit;
        private final SplittableRandom random;
        private final List<Slot> taken = new ArrayList<>();
        private final StringBuilder trace = new StringBuilder();
        private long now = BEGIN;

        Walk(Limit limit, long seed) {
            this.limit = limit;
            this.random = new SplittableRandom(seed);
            trace.append(limit).append(", seed ").append(seed).append(':');
        }

        void play() {
            for (int step = 0; step < 30; step++) {
                switch (random.nextInt(6)) {
                    case 0 -> undoSome();
                    case 1 -> now += random.nextLong(PERIOD / 3);
                    case 2, 3 -> book(1 + random.nextInt(12));
                    default -> take(1 + random.nextInt(12));
                }
                now += random.nextLong(PERIOD / 60);
            }
        }

        private void take(int requests) {
            note(both("take", one -> Questions.taking(Wanted.atOnce(one, (long) one * requests))));
        }

        private void book(int requests) {
            note(both("book", one -> Questions.book(one, requests, LENGTH.toNanos())));
        }

        private void note(Answer answer) {
            if (answer.granted() > 0) {
                taken.add(new Slot((int) answer.granted(), now * 1_000, false, 1, true));
            }
            for (Answer.Booking booking : answer.bookings()) {
                taken.add(new Slot(booking.permits(), now * 1_000 + booking.inNanos(), false, 1, false));
            }
            List<Slot> booked =
                    taken.stream().filter(slot -> slot.atNanos() > now * 1_000).toList();
            Answer seen = both("seeing", one -> Questions.seeing(ofSize(booked, one)));
            assertThat(seen.bookings()).isEmpty();
        }

        private void undoSome() {
            List<Slot> undone = new ArrayList<>();
            for (int i = random.nextInt(4); i >= 0 && !taken.isEmpty(); i--) {
                undone.add(taken.remove(random.nextInt(taken.size())));
            }
            Answer answer = both("undo", one -> Questions.undo(ofSize(undone, one)));
            assertThat(answer.granted()).isZero();
        }

        private static List<Slot> ofSize(List<Slot> slots, int one) {
            return slots.stream()
                    .map(slot -> new Slot(slot.permits() * one, slot.atNanos(), false, one, slot.taken()))
                    .toList();
        }

        /** Returns the answer to the question of single permits. */
        private Answer both(String what, Function<Integer, Question> ofSize) {
            trace.append("\n  +")
                    .append(now - BEGIN)
                    .append(' ')
                    .append(what)
                    .append(' ')
                    .append(ofSize.apply(1));
            Answer permits = host.ask(limit, "permits", ofSize.apply(1), "node", now);
            Answer requests = host.ask(limit.countingCalls(), "requests", ofSize.apply(SIZE), "node", now);
            assertThat(requests).as(trace.toString()).isEqualTo(times(permits));
            return permits;
        }

        /** The same for requests, all of which the next to be had is enough for, however large they are. */
        private static Answer times(Answer permits) {
            long next = permits.available() > 0 ? 0 : permits.nextNanos();
            return new Answer(
                    permits.nowNanos(),
                    permits.granted() * SIZE,
                    permits.waitNanos(),
                    permits.available(),
                    next,
                    next,
                    permits.fullNanos(),
                    permits.bookings().stream()
                            .map(each -> new Answer.Booking(each.inNanos(), each.permits() * SIZE))
                            .toList());
        }
    }
}
