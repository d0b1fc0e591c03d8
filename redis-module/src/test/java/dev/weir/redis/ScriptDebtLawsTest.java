package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Windows that owe what was charged while what was taken or booked before comes back. */
class ScriptDebtLawsTest extends ScriptsOnAServer {

    private static final int SEEDS = 500;

    @Test
    @DisplayName("a grant never exceeds the limit with the window before it, charges included")
    void boundHolds() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            host.flush();
            new Walk(seed).play();
        }
    }

    @Test
    @DisplayName("a charge does not count from when others took permits that they give back")
    void chargedLaterThanTaken() {
        Limit limit = Limit.of(2, Duration.ofSeconds(1_000));
        long second = 1_000_000;
        ask(limit, Questions.take(2), BEGIN);
        ask(limit, Questions.charge(2), BEGIN + 600 * second);
        ask(limit, Questions.undo(Questions.booked(2, BEGIN * 1_000)), BEGIN + 700 * second);
        Answer later = ask(limit, Questions.take(1), BEGIN + 1_000 * second);
        assertThat(later.granted()).isZero();
        assertThat(later.waitNanos()).isEqualTo(Duration.ofSeconds(700).toNanos());
    }

    @Test
    @DisplayName("at each moment when a part of a debt is due, and right before it, there is as much as by the policy")
    void whenDebtIsDue() {
        Duration period = Duration.ofMinutes(10);
        // Policies do not know what a unit of time is: these count microseconds.
        Duration micros = Duration.ofNanos(period.toNanos() / 1_000);
        Map<Limit, Limit> limits = Map.of(
                Limit.of(3, period), Limit.of(3, micros),
                Limit.of(1, period), Limit.of(1, micros),
                Limit.slidingWindow(3, period, 3), Limit.slidingWindow(3, micros, 3),
                Limit.fixedWindow(3, period), Limit.fixedWindow(3, micros),
                Limit.slidingWindowCounter(3, period), Limit.slidingWindowCounter(3, micros),
                Limit.tokenBucket(3, 3, period), Limit.tokenBucket(3, 3, micros),
                Limit.leakyBucket(3, period), Limit.leakyBucket(3, micros));
        limits.forEach((limit, inMicros) -> {
            host.flush();
            PermitPolicy policy = inMicros.newPolicy(BEGIN);
            policy.tryTake(1, BEGIN);
            ask(limit, Questions.take(1), BEGIN);
            policy.charge(8, BEGIN);
            ask(limit, Questions.charge(8), BEGIN);
            for (long now = BEGIN; policy.nanosUntilFull(now) > 0; now += micros.toNanos() / 6) {
                for (long at = now - (now == BEGIN ? 0 : 1); at <= now; at++) {
                    assertThat(ask(limit, Questions.look(), at).available())
                            .as("%s, %d us after", limit, at - BEGIN)
                            .isEqualTo(policy.available(at));
                }
            }
        });
    }

    @Test
    @DisplayName("what is told of a debt is what is remembered of it, however far ahead it would be due")
    void debtOfLongPeriods() {
        for (Duration period : List.of(Duration.ofDays(1), Duration.ofDays(365), Duration.ofDays(25_000))) {
            for (Limit limit : List.of(Limit.of(1, period), Limit.slidingWindow(2, period, 2))) {
                host.flush();
                Answer charged = ask(limit, Questions.charge(2_000), BEGIN);
                assertThat(charged.available()).as("%s", limit).isNegative();
                assertThat(ask(limit, Questions.look(), BEGIN)).as("%s", limit).isEqualTo(charged);
            }
        }
    }

    /** So many permits, used from that time on. */
    private record Use(int permits, long at, boolean returnable) {}

    private static final class Walk {

        private static final int PARTS = 16;

        private final SplittableRandom random;
        private final int permits;
        private final long period = Duration.ofMinutes(10).toNanos() / 1_000;
        private final Limit limit;
        private final List<Use> uses = new ArrayList<>();
        private final StringBuilder trace = new StringBuilder();
        private long now = BEGIN;

        Walk(long seed) {
            this.random = new SplittableRandom(seed);
            this.permits = 1 + random.nextInt(5);
            Duration length = Duration.ofNanos(period * 1_000);
            this.limit = seed % 2 == 0
                    ? Limit.of(permits, length)
                    : Limit.slidingWindow(permits, length, 1 + random.nextInt(4));
            trace.append("seed ").append(seed).append(", ").append(limit).append(':');
        }

        private Answer ask(Question question) {
            return ScriptsOnAServer.ask(limit, question, now);
        }

        void play() {
            for (int step = 0; step < 25; step++) {
                switch (random.nextInt(9)) {
                    case 0 -> charge(1 + random.nextInt(3));
                    case 1, 2 -> giveBackAny();
                    case 3, 4 -> now += random.nextInt(PARTS) * period / PARTS;
                    case 5 -> book(1 + random.nextInt(permits));
                    default -> take(1 + random.nextInt(permits));
                }
            }
        }

        private void take(int wanted) {
            if (ask(Questions.take(wanted)).granted() > 0) {
                use(new Use(wanted, now, true));
                long used = uses.stream()
                        .filter(use -> use.at() <= now && now - use.at() < period)
                        .mapToLong(Use::permits)
                        .sum();
                assertThat(used).as(trace.toString()).isLessThanOrEqualTo(permits);
            }
        }

        private void book(int wanted) {
            Answer answer = ask(Questions.book(wanted, 1, 0));
            long wait = answer.granted() > 0 ? 0 : answer.bookings().get(0).inNanos() / 1_000;
            use(new Use(wanted, now + wait, true));
        }

        private void charge(int charged) {
            Answer unused = ask(Questions.charge(charged));
            use(new Use(charged, now, false));
        }

        private void use(Use use) {
            uses.add(use);
            trace.append(' ').append(use);
        }

        private void giveBackAny() {
            List<Use> returnable = uses.stream().filter(Use::returnable).toList();
            if (returnable.isEmpty()) {
                return;
            }
            Use use = returnable.get(random.nextInt(returnable.size()));
            int returned = 1 + random.nextInt(use.permits());
            Answer unused = ask(Questions.undo(Questions.booked(returned, use.at() * 1_000)));
            trace.append(" at ")
                    .append(now)
                    .append(" back ")
                    .append(returned)
                    .append(" of ")
                    .append(use);
            uses.remove(use);
            uses.add(new Use(use.permits() - returned, use.at(), false));
        }
    }
}
