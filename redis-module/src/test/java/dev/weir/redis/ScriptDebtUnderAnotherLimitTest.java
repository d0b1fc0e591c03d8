package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Exact windows, and such in segments, that owe permits while their limit changes: what is owed is owed by the new limit. */
class ScriptDebtUnderAnotherLimitTest extends ScriptsOnAServer {

    private static final int SEEDS = 200;
    private static final long MINUTE = 60_000_000;
    private static final Duration PERIOD = Duration.ofHours(1);

    /** Limits of so many permits in a period. */
    private static final List<BiFunction<Integer, Duration, Limit>> KINDS = List.of(
            Limit::of,
            (permits, period) -> Limit.slidingWindow(permits, period, 10),
            (permits, period) -> Limit.allOf(Limit.of(permits, period), Limit.of(permits + 1, period.multipliedBy(2))));

    @Test
    @DisplayName("decisions, waits and what is available are those of the policy")
    void sameAsThePolicy() {
        for (BiFunction<Integer, Duration, Limit> kind : KINDS) {
            for (long seed = 1; seed <= SEEDS; seed++) {
                host.flush();
                new Walk(kind, seed).play();
            }
        }
    }

    @Test
    @DisplayName("as many more as the limit has now are there, or fewer are owed, whatever its period")
    void morePermits() {
        for (BiFunction<Integer, Duration, Limit> kind : KINDS.subList(0, 2)) {
            for (Duration next : List.of(PERIOD.dividedBy(60), PERIOD, PERIOD.multipliedBy(60))) {
                host.flush();
                ask(kind.apply(10, PERIOD), Questions.take(10), BEGIN);
                Answer owing = ask(kind.apply(10, PERIOD), Questions.charge(4), BEGIN);
                assertThat(owing.available()).isEqualTo(-4);
                for (int permits : new int[] {10, 11, 1, 13, 20, 10, 14}) {
                    Limit limit = kind.apply(permits, next);
                    Answer changed = ask(limit, Questions.look().writing(), BEGIN);
                    assertThat(ask(limit, Questions.look(), BEGIN))
                            .as("%s", limit)
                            .isEqualTo(changed);
                    if (permits >= 10) {
                        assertThat(changed.available()).as("%s", limit).isEqualTo(permits - 14);
                    }
                }
            }
        }
    }

    @Test
    @DisplayName(
            "while there are bookings the debt keeps its place, and is owed by the new limit when the last has been undone")
    void bookedBehind() {
        for (BiFunction<Integer, Duration, Limit> kind : KINDS.subList(0, 2)) {
            host.flush();
            Limit limit = kind.apply(1, PERIOD);
            ask(limit, Questions.take(1), BEGIN);
            ask(limit, Questions.charge(2), BEGIN);
            Answer answer = ask(limit, Questions.book(1, 1, 0), BEGIN);
            long booked = answer.bookings().get(0).inNanos();
            assertThat(booked).isEqualTo(PERIOD.multipliedBy(3).toNanos());
            Answer before = ask(limit, Questions.look(), BEGIN);
            assertThat(ask(limit, Questions.look().writing(), BEGIN)).isEqualTo(before);
            ask(limit, Questions.charge(1), BEGIN);
            Answer behind = ask(limit, Questions.look(), BEGIN);
            assertThat(ask(limit, Questions.look().writing(), BEGIN)).isEqualTo(behind);

            Limit more = kind.apply(4, PERIOD);
            assertThat(ask(more, Questions.take(1).writing(), BEGIN).granted()).isZero();
            Slot slot = Questions.booked(1, BEGIN * 1_000 + booked);
            assertThat(ask(more, Questions.undo(slot), BEGIN).available()).isZero();
        }
    }

    private static final class Walk {

        private final SplittableRandom random;
        private final BiFunction<Integer, Duration, Limit> kind;
        private final PermitPolicy policy;
        private final StringBuilder trace = new StringBuilder();
        private Limit limit;
        private Limit inMicros;
        private long period = Long.MAX_VALUE;
        private long at = BEGIN;

        Walk(BiFunction<Integer, Duration, Limit> kind, long seed) {
            this.random = new SplittableRandom(seed);
            this.kind = kind;
            trace.append("seed ").append(seed);
            change();
            this.policy = inMicros.newPolicy(at);
        }

        /** To no longer period: what is over, a policy takes for as late as it can have been, and the scripts forget it. */
        private void change() {
            int permits = 1 + random.nextInt(6);
            period = Math.min(period, (1 + random.nextInt(60)) * MINUTE);
            limit = kind.apply(permits, Duration.ofNanos(period * 1_000));
            // Policies do not know what a unit of time is: this one counts microseconds.
            inMicros = kind.apply(permits, Duration.ofNanos(period));
            trace.append(' ').append(limit);
        }

        void play() {
            for (int step = 0; step < 14; step++) {
                // Never within a segment, as takes of one that began under another limit are merged here.
                at += random.nextInt(3) == 0 ? 6 * MINUTE + random.nextLong(30 * MINUTE) : 0;
                trace.append("\nat +").append(at - BEGIN);
                switch (random.nextInt(4)) {
                    case 0 -> charge(1 + random.nextInt(3 * limit.capacity()));
                    case 1 -> {
                        change();
                        policy.reconfigure(inMicros, at);
                        check(Questions.look().writing(), 0);
                    }
                    default -> take(1 + random.nextInt(limit.capacity()));
                }
                take(limit.capacity());
            }
        }

        private void charge(int permits) {
            trace.append(" charge ").append(permits);
            policy.charge(permits, at);
            check(Questions.charge(permits), 0);
        }

        private void take(int permits) {
            trace.append(" take ").append(permits);
            check(Questions.take(permits), policy.tryTake(permits, at));
        }

        private void check(Question question, long wait) {
            Answer answer = ask(limit, question, at);
            String about = trace + "\n" + answer;
            assertThat(answer.granted()).as(about).isEqualTo(wait == PermitPolicy.TAKEN ? question.one() : 0);
            assertThat(answer.waitNanos()).as(about).isEqualTo(1_000 * wait);
            assertThat(answer.fullNanos()).as(about).isEqualTo(1_000 * policy.nanosUntilFull(at));
            long available = policy.available(at);
            if (available > 0) {
                assertThat(answer.available()).as(about).isEqualTo(available);
            } else { // what was taken under a greater limit counts beside it here
                assertThat(answer.available()).as(about).isLessThanOrEqualTo(available);
            }
        }
    }
}
