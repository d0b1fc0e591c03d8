package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Windows to which permits come back while they owe what was charged. */
class GivenBackInDebtLawsTest {

    private static final int SEEDS = 50_000;

    /** So many permits, used from that time on. */
    private record Use(int permits, long at, boolean granted) {}

    @Test
    @DisplayName("a grant never exceeds the limit with the window before it, charges included")
    void boundHolds() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            new Walk(seed).play();
        }
    }

    @Test
    @DisplayName("a permit given back at the instant of a charge leaves the limiter as if never taken")
    void asIfItHadNeverBeen() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            new Walk(seed).comparing();
        }
    }

    @Test
    @DisplayName("a charge does not count from when others took permits that they give back")
    void chargedLaterThanTaken() {
        for (PermitPolicy policy : List.of(
                Limit.of(2, Duration.ofNanos(1_000)).newPolicy(0),
                Limit.slidingWindow(2, Duration.ofNanos(1_000), 10).newPolicy(0))) {
            policy.tryTake(2, 0);
            policy.charge(2, 600);
            policy.giveBack(2, 0, 700);
            assertThat(policy.available(700)).isZero();
            assertThat(policy.tryTake(1, 1_000)).isEqualTo(700);
        }
    }

    private static final class Walk {

        private final SplittableRandom random;
        private final int permits;
        private final long period;
        private final PermitPolicy policy;
        private final List<Use> uses = new ArrayList<>();
        private final StringBuilder trace = new StringBuilder();
        private long now;

        Walk(long seed) {
            this.random = new SplittableRandom(seed);
            this.permits = 1 + random.nextInt(5);
            this.period = 2L + random.nextInt(15);
            Limit limit = limit(seed % 2 == 0, 1 + random.nextInt(4));
            this.policy = limit.newPolicy(0);
            trace.append("seed ").append(seed).append(", ").append(limit).append(':');
        }

        private Limit limit(boolean exact, int segments) {
            Duration length = Duration.ofNanos(period);
            return exact ? Limit.of(permits, length) : Limit.slidingWindow(permits, length, segments);
        }

        void play() {
            for (int step = 0; step < 25; step++) {
                switch (random.nextInt(8)) {
                    case 0 -> charge(1 + random.nextInt(3));
                    case 1, 2 -> giveBackAny();
                    case 3, 4 -> now += random.nextInt((int) period);
                    default -> take(1 + random.nextInt(permits));
                }
            }
        }

        private void take(int wanted) {
            if (policy.tryTake(wanted, now) == PermitPolicy.TAKEN) {
                use(new Use(wanted, now, true));
                long used = uses.stream()
                        .filter(use -> now - use.at() < period)
                        .mapToLong(Use::permits)
                        .sum();
                assertThat(used).as(trace.toString()).isLessThanOrEqualTo(permits);
            }
        }

        private void charge(int charged) {
            policy.charge(charged, now);
            use(new Use(charged, now, false));
        }

        private void use(Use use) {
            uses.add(use);
            trace.append(' ').append(use);
        }

        private void giveBackAny() {
            List<Use> granted = uses.stream().filter(Use::granted).toList();
            if (!granted.isEmpty()) {
                Use use = granted.get(random.nextInt(granted.size()));
                int returned = 1 + random.nextInt(use.permits());
                policy.giveBack(returned, use.at(), now);
                trace.append(" back at ")
                        .append(now)
                        .append(' ')
                        .append(returned)
                        .append(" of ")
                        .append(use);
                uses.remove(use);
                uses.add(new Use(use.permits() - returned, use.at(), false));
            }
        }

        /** One of the exact limit, as those of the same segment do not come back earlier for what is given back. */
        void comparing() {
            PermitPolicy policy = limit(true, 1).newPolicy(0);
            PermitPolicy without = limit(true, 1).newPolicy(0);
            int undone = 1 + random.nextInt(permits);
            long takenAt = random.nextInt((int) period);
            for (long at = 0; at < period; at++) {
                if (at == takenAt && policy.tryTake(undone, at) != PermitPolicy.TAKEN) {
                    return;
                }
                int others = random.nextInt(3);
                if (others > 0 && others <= policy.available(at)) {
                    policy.tryTake(others, at);
                    without.tryTake(others, at);
                }
            }
            int charged = 1 + random.nextInt(3 * permits);
            long at = takenAt + random.nextInt((int) period);
            at = Math.max(at, period - 1);
            policy.charge(charged, at);
            without.charge(charged, at);
            policy.giveBack(undone, takenAt, at);
            for (long later = at; later < at + 4 * period && at - takenAt < period; later++) {
                assertThat(policy.available(later)).as(trace.toString()).isEqualTo(without.available(later));
            }
        }
    }
}
