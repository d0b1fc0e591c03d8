package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a node owes after an outage for what it has admitted alone: of each part of a limit what still counts for that part. */
class OwedAfterAnOutageLawsTest {

    private static final Limit WIDE = Limit.of(1_000_000, Duration.ofSeconds(1));
    private static final int TRACES = 400;

    /** A limit in a node that decides alone; what it owes is told of one of its parts. */
    private static final class Alone {

        private final FleetTerms terms;
        private final FleetState state;
        private final Fallback fallback;
        private final int part;
        private final long beginNanos;

        /** The largest request within its share: larger ones wait for all parts to be full. */
        private final int largest;

        Alone(Limit limit, int part, NodeSettings settings, long nowNanos) {
            this.terms = new FleetTerms(limit, settings);
            this.state = new FleetState(Held.nothingOf(terms), nowNanos);
            this.fallback = new Fallback(terms, new OwnShare(terms, () -> state, nowNanos), nowNanos);
            this.part = part;
            this.beginNanos = nowNanos;
            this.largest = settings.shares().of(limit).capacity();
        }

        boolean takes(int permits, long nowNanos) {
            int ofShare = fallback.ofShare(permits);
            boolean isTaken = fallback.tryTake(permits, ofShare, nowNanos) == PermitPolicy.TAKEN;
            if (isTaken && permits > 0) {
                state.hold(permits, 1);
                fallback.taken(permits, ofShare, nowNanos);
            }
            return isTaken;
        }

        Owed owed(long nowNanos) {
            return fallback.takeOwed(terms, nowNanos);
        }

        void told(Owed owed, boolean isSent, long nowNanos) {
            if (!isSent) {
                fallback.recordAgain(owed, terms, nowNanos);
            }
        }

        long ofPart(Owed owed) {
            return owed.ofParts().isEmpty() ? 0 : owed.ofParts().get(part);
        }

        @Override
        public String toString() {
            return terms.limit() + " with " + terms.settings() + " from " + beginNanos;
        }
    }

    private record Take(int permits, long atNanos) {}

    private static Limit anyLimit(Random random) {
        int permits = 1 + random.nextInt(40);
        Duration period = Duration.ofMillis(200 + random.nextInt(5_000));
        return switch (random.nextInt(8)) {
            case 0 -> Limit.of(permits, period);
            case 1 -> Limit.slidingWindow(permits, period, 1 + random.nextInt(8));
            case 2 -> Limit.slidingWindowCounter(permits, period);
            case 3 -> Limit.fixedWindow(permits, period);
            case 4 -> Limit.tokenBucket(permits, 1 + random.nextInt(permits), period);
            case 5 ->
                Limit.tokenBucket(permits, 1 + random.nextInt(permits), period)
                        .startingWith(random.nextInt(permits))
                        .refillingInSteps();
            case 6 -> Limit.leakyBucket(permits, period);
            default -> Limit.leakyBucket(permits, period).withSlack(random.nextInt(20));
        };
    }

    private static NodeSettings anySettings(Random random) {
        WhenUnavailable[] choices = WhenUnavailable.values();
        return ModelFleet.settings(choices[random.nextInt(choices.length)], 1 + random.nextInt(8));
    }

    /** Plays some outages to a limit and to those of which it is a part; ofCalls: without what only counts in permits. */
    private static void play(Alone alone, List<Alone> combined, boolean ofCalls, Random random, String trace) {
        long now = alone.beginNanos;
        List<Take> taken = new ArrayList<>();
        for (int step = 0; step < 200; step++) {
            now += random.nextInt(random.nextInt(4) == 0 ? 2_000_000_000 : 50_000_000);
            int permits = ofCalls ? 1 : 1 + random.nextInt(alone.largest);
            switch (random.nextInt(12)) {
                case 0 -> {
                    Owed owed = alone.owed(now);
                    boolean isSent = random.nextBoolean();
                    alone.told(owed, isSent, now);
                    for (Alone each : combined) {
                        Owed combinedOwed = each.owed(now);
                        assertThat(each.ofPart(combinedOwed))
                                .as("%s, step %d, of %s", trace, step, each)
                                .isEqualTo(alone.ofPart(owed));
                        each.told(combinedOwed, isSent, now);
                    }
                }
                case 1 -> {
                    if (!ofCalls) {
                        alone.fallback.charge(permits, now);
                        for (Alone each : combined) {
                            each.fallback.charge(permits, now);
                        }
                    }
                }
                case 2, 3 -> {
                    if (!taken.isEmpty()) {
                        Take back = taken.remove(random.nextInt(taken.size()));
                        Portion portion = ofCalls || random.nextBoolean() ? Portion.ALL : Portion.PART;
                        alone.fallback.giveBack(back.permits, portion, back.atNanos, now);
                        for (Alone each : combined) {
                            each.fallback.giveBack(back.permits, portion, back.atNanos, now);
                        }
                    }
                }
                default -> {
                    boolean takes = alone.takes(permits, now);
                    for (Alone each : combined) {
                        assertThat(each.takes(permits, now))
                                .as("%s, step %d, of %s", trace, step, each)
                                .isEqualTo(takes);
                    }
                    if (takes) {
                        taken.add(new Take(permits, now));
                    }
                }
            }
        }
    }

    @Test
    @DisplayName("a part of several limits owes what it would owe on its own")
    void asOnItsOwn() {
        for (long seed = 1; seed <= TRACES; seed++) {
            Random random = new Random(seed);
            Limit limit = anyLimit(random);
            NodeSettings settings = anySettings(random);
            long begin = random.nextBoolean() ? random.nextLong() : Long.MAX_VALUE - 1_000_000_000L;
            List<Alone> combined = List.of(
                    new Alone(Limit.allOf(WIDE, limit), 1, settings, begin),
                    new Alone(Limit.allOf(Limit.unlimited(), WIDE.countingCalls(), WIDE, limit), 2, settings, begin));
            play(new Alone(limit, 0, settings, begin), combined, false, random, "seed " + seed + ", " + limit);
        }
    }

    @Test
    @DisplayName(
            "a limit that counts requests owes what the same limit owes for as many permits, also as a part of several")
    void requestsAsPermits() {
        for (long seed = 1; seed <= TRACES; seed++) {
            Random random = new Random(seed);
            Limit limit = anyLimit(random);
            NodeSettings settings = anySettings(random);
            List<Alone> combined = List.of(
                    new Alone(limit.countingCalls(), 0, settings, seed),
                    new Alone(Limit.allOf(WIDE, limit.countingCalls()), 1, settings, seed),
                    new Alone(Limit.allOf(WIDE, limit).countingCalls(), 1, settings, seed));
            play(new Alone(limit, 0, settings, seed), combined, true, random, "seed " + seed + ", " + limit);
        }
    }

    @Test
    @DisplayName(
            "that is, of an exact window, what was admitted within its period, and of a bucket what time has not repaid")
    void whatStillCounts() {
        Duration period = Duration.ofSeconds(4);
        for (long seed = 1; seed <= TRACES; seed++) {
            Random random = new Random(seed);
            int nodes = 1 + random.nextInt(8);
            NodeSettings settings = ModelFleet.settings(WhenUnavailable.LOCAL, nodes);
            long each = period.toNanos() * nodes / 40; // the share of a node of a bucket brings one
            Alone windows = new Alone(Limit.allOf(WIDE, Limit.of(40, period)), 1, settings, 0);
            Alone buckets = new Alone(Limit.allOf(WIDE, Limit.tokenBucket(40, 40, period)), 1, settings, 0);
            List<Long> admitted = new ArrayList<>();
            long fullAt = 0;
            long now = 0;
            for (int request = random.nextInt(400); request > 0; request--) {
                now += random.nextInt(random.nextInt(50) == 0 ? 3_000_000 : 300) * 1_000_000L / 3;
                if (windows.takes(1, now)) {
                    admitted.add(now);
                }
                if (buckets.takes(1, now)) {
                    fullAt = Math.max(fullAt, now) + each;
                }
            }
            now += random.nextInt(6_000) * 1_000_000L;
            long end = now;
            String what = "seed " + seed + ", " + nodes + " nodes";
            assertThat(windows.ofPart(windows.owed(now)))
                    .as(what)
                    .isEqualTo(admitted.stream()
                            .filter(at -> end - at < period.toNanos())
                            .count());
            assertThat(buckets.ofPart(buckets.owed(now)))
                    .as(what)
                    .isEqualTo((Math.max(0, fullAt - now) + each - 1) / each);
        }
    }

    @Test
    @DisplayName("what could not be told is owed once more, and not twice")
    void untold() {
        for (long seed = 1; seed <= TRACES; seed++) {
            Random random = new Random(seed);
            Limit limit = anyLimit(random);
            NodeSettings settings = anySettings(random);
            for (Limit kept :
                    List.of(limit, limit.countingCalls(), Limit.allOf(anyLimit(random), limit, WIDE.countingCalls()))) {
                Alone alone = new Alone(kept, 0, settings, seed);
                long now = seed;
                for (int step = random.nextInt(60); step > 0; step--) {
                    now += random.nextInt(100_000_000);
                    int permits = 1 + random.nextInt(Math.min(40, kept.capacity()));
                    if (random.nextInt(5) == 0) {
                        alone.fallback.charge(permits, now);
                    } else {
                        boolean unused = alone.takes(permits, now);
                    }
                }
                Owed owed = alone.owed(now);
                for (int failure = 0; failure < 3; failure++) {
                    alone.told(owed, false, now);
                    assertThat(alone.owed(now)).as("seed %d, %s", seed, alone).isEqualTo(owed);
                }
                assertThat(alone.owed(now).isNothing()).isTrue();
            }
        }
    }
}
