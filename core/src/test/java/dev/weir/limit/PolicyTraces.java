package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.LimitModel;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/** Drives policies along random traces, from hostile clock origins, beside a model or against a bound. */
final class PolicyTraces {

    static final long[] ORIGINS = {
        0, -1, 1, Long.MIN_VALUE, Long.MIN_VALUE + 1, Long.MAX_VALUE, Long.MAX_VALUE - 1_000_000_007L, -1_000_000_007L
    };

    private static final int STEPS = 200;

    private PolicyTraces() {}

    /** As the model does that whole limiters are held against. */
    static void agree(Limit limit) {
        agree(limit, () -> new Modelled(LimitModel.of(limit)));
    }

    /**
     * The same decisions as the model, the same waits, and as much available, whatever is taken or charged, and when. What is
     * given back at once has never been.
     */
    static void agree(Limit limit, Supplier<ReferenceModel> models) {
        for (long seed = 1; seed <= 3; seed++) {
            for (long origin : ORIGINS) {
                agree(limit, models.get(), origin, seed, true, true);
                agree(limit, models.get(), origin, seed, false, true);
            }
        }
    }

    /** The same, with nothing charged or given back. */
    static void agreeOnTaking(Limit limit, Supplier<ReferenceModel> models) {
        for (long seed = 1; seed <= 6; seed++) {
            for (long origin : ORIGINS) {
                agree(limit, models.get(), origin, seed, false, false);
            }
        }
    }

    private static void agree(
            Limit limit, ReferenceModel model, long origin, long seed, boolean charging, boolean givingBack) {
        SplittableRandom random = new SplittableRandom(seed);
        PermitPolicy policy = limit.newPolicy(origin);
        long at = 0;
        long wait = 0;
        for (int step = 0; step < STEPS; step++) {
            at += gap(random, wait);
            int permits = permits(random, limit);
            String trace =
                    limit + " from " + origin + ", seed " + seed + ", step " + step + ": " + permits + " at " + at;
            assertThat(policy.available(origin + at)).as("available, " + trace).isEqualTo(model.available(at));
            boolean fits = model.fits(permits, at);
            long probe = policy.tryTake(0, origin + at);
            assertThat(probe == PermitPolicy.TAKEN).as("probe, " + trace).isEqualTo(model.fits(1, at));
            long answer = policy.tryTake(permits, origin + at);
            assertThat(answer == PermitPolicy.TAKEN).as(trace).isEqualTo(fits);
            wait = answer;
            if (fits && givingBack && random.nextInt(5) == 0) {
                policy.giveBack(permits, origin + at, origin + at);
            } else if (fits) {
                model.take(permits, at);
            } else {
                assertThat(model.fits(permits, at + wait))
                        .as("in time, " + wait + ", " + trace)
                        .isTrue();
                assertThat(model.fits(permits, at + wait - 1))
                        .as("early, " + wait + ", " + trace)
                        .isFalse();
            }
            if (charging && random.nextInt(10) == 0) {
                int charged = 1 + random.nextInt(2 * Math.min(limit.capacity(), 1000));
                policy.charge(charged, origin + at);
                model.take(charged, at);
            }
        }
    }

    /** Sometimes none, sometimes what was asked for, sometimes a nanosecond off, sometimes anything up to hours. */
    private static long gap(SplittableRandom random, long wait) {
        long due = wait == PermitPolicy.AWAIT_SIGNAL ? 0 : wait;
        return switch (random.nextInt(10)) {
            case 0 -> 0;
            case 1 -> 1;
            case 2, 3, 4 -> due;
            case 5 -> Math.max(0, due - 1);
            case 6 -> due + 1;
            case 7 -> random.nextLong(due + 1);
            case 8 -> 1L << random.nextInt(44);
            default -> random.nextLong(1L << (1 + random.nextInt(34)));
        };
    }

    private static int permits(SplittableRandom random, Limit limit) {
        return switch (random.nextInt(4)) {
            case 0 -> limit.capacity();
            case 1 -> 1 + random.nextInt(limit.capacity());
            default -> 1 + random.nextInt(Math.min(limit.capacity(), 3));
        };
    }

    /** The instants at which single permits pass while somebody always wants one, counted from the creation. */
    static List<Long> saturated(Limit limit, long origin, int permits) {
        PermitPolicy policy = limit.newPolicy(origin);
        List<Long> instants = new ArrayList<>();
        long at = 0;
        while (instants.size() < permits) {
            long wait = policy.tryTake(1, origin + at);
            if (wait == PermitPolicy.TAKEN) {
                instants.add(at);
            }
            at += wait;
        }
        return instants;
    }

    /** A model of a limit whose charges are takes if the permits are there. */
    private record Modelled(LimitModel model) implements ReferenceModel {

        @Override
        public boolean fits(int permits, long at) {
            return model.fits(permits, at);
        }

        @Override
        public void take(int permits, long at) {
            model.charge(permits, at);
        }

        @Override
        public long available(long at) {
            return model.available(at);
        }
    }
}
