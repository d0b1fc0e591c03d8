package dev.weir.model;

import dev.weir.limit.AllOf;
import dev.weir.limit.Concurrency;
import dev.weir.limit.FixedWindow;
import dev.weir.limit.LeakyBucket;
import dev.weir.limit.Limit;
import dev.weir.limit.SlidingWindowLog;
import dev.weir.limit.TokenBucket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Makes a script of a seed: few requests and small numbers, so that much happens at the same instant. */
final class RandomScripts {

    /** The last is so near to the end that clocks wrap within a script. */
    private static final long[] ORIGINS = {0, -1, Long.MIN_VALUE, Long.MAX_VALUE - 20};

    private static final int LONGEST = 40;
    private static final long HOURS = Duration.ofHours(5).toNanos();

    private final SplittableRandom random;
    private final List<Step> steps = new ArrayList<>();
    private final Setup setup;

    private Limit limit;
    private int requests;

    private RandomScripts(long seed) {
        random = new SplittableRandom(seed);
        limit = limit(1 + random.nextInt(10));
        Setup plain = Setup.of(limit).from(ORIGINS[random.nextInt(ORIGINS.length)]);
        Setup ordered = random.nextBoolean() ? plain : plain.newestFirst();
        Setup bounded = random.nextInt(3) > 0 ? ordered : ordered.queueLimit(random.nextInt(8));
        setup = random.nextInt(3) > 0 ? bounded : bounded.maxWait(random.nextInt(25));
    }

    static Script of(long seed) {
        RandomScripts scripts = new RandomScripts(seed);
        int length = 5 + scripts.random.nextInt(LONGEST - 5);
        while (scripts.steps.size() < length) {
            scripts.steps.add(scripts.step());
        }
        return new Script(scripts.setup, scripts.steps);
    }

    private Limit limit(long period) {
        return switch (random.nextInt(7)) {
            case 0, 1 -> window(period);
            case 2 -> bucket(period);
            case 3 -> leaky(period);
            case 4 -> new FixedWindow(few(), Duration.ofNanos(period));
            case 5 -> new Concurrency(few());
            default ->
                random.nextBoolean()
                        ? Limit.allOf(window(period), bucket(1 + random.nextInt(10)))
                        : Limit.allOf(new Concurrency(few()), bucket(period));
        };
    }

    private int few() {
        return 1 + random.nextInt(5);
    }

    private SlidingWindowLog window(long period) {
        return new SlidingWindowLog(few(), Duration.ofNanos(period));
    }

    /** No faster than the clock. */
    private LeakyBucket leaky(long period) {
        int permits = few();
        return new LeakyBucket(permits, Duration.ofNanos(Math.max(permits, period)), random.nextInt(3));
    }

    private TokenBucket bucket(long period) {
        int capacity = few();
        int permits = few();
        return new TokenBucket(capacity, permits, Duration.ofNanos(Math.max(permits, period)))
                .startingWith(random.nextInt(4) > 0 ? capacity : random.nextInt(capacity + 1));
    }

    /** Another of the same kind. A longer exact window would count grants long forgotten, so it only becomes shorter. */
    private Limit changed(Limit before) {
        long period = 1L + random.nextInt(10);
        if (before instanceof SlidingWindowLog log) {
            return window(Math.min(period, log.period().toNanos()));
        } else if (before instanceof TokenBucket) {
            return bucket(period);
        } else if (before instanceof LeakyBucket) {
            return leaky(period);
        } else if (before instanceof FixedWindow) {
            return new FixedWindow(few(), Duration.ofNanos(period));
        } else if (before instanceof AllOf several) {
            return new AllOf(several.limits().stream().map(this::changed).toList());
        }
        return new Concurrency(few());
    }

    private Step step() {
        int dice = random.nextInt(100);
        if (dice < 55) {
            return dice < 30 ? ask() : Step.of(Step.Verb.ADVANCE, nanos());
        } else if (dice < 80) {
            return answerOrWithdraw();
        } else if (dice < 97) {
            return steer();
        }
        return random.nextInt(3) > 0 ? Step.of(Step.Verb.FIRE_TIMERS) : Step.of(Step.Verb.CLOSE_LIMITER);
    }

    private Step ask() {
        int who = ++requests;
        int permits = permits();
        return switch (random.nextInt(8)) {
            case 0, 1 -> Step.of(Step.Verb.TRY_ACQUIRE, who, permits);
            case 2 -> Step.of(Step.Verb.TRY_CONSUME, 0, permits);
            case 3 -> Step.acquireWithin(who, permits, nanos(), reaction(who));
            default -> Step.acquire(who, permits, reaction(who));
        };
    }

    /** Mostly what may be had, sometimes none, rarely what may not. */
    private int permits() {
        int dice = random.nextInt(20);
        return dice == 0 ? -1 : dice < 3 ? 0 : dice == 3 ? few() : 1 + random.nextInt(limit.capacity());
    }

    private long nanos() {
        int dice = random.nextInt(20);
        return dice == 0 ? HOURS : dice < 12 ? random.nextInt(4) : random.nextInt(12);
    }

    /** What the listener does: with its own lease, to others, to the limiter; or it throws. */
    private List<Step> reaction(int who) {
        return switch (random.nextInt(12)) {
            case 0 -> List.of(Step.of(Step.Verb.CLOSE, who, 0));
            case 1 -> List.of(Step.of(Step.Verb.GIVE_BACK, who, 0), Step.of(Step.Verb.FAIL));
            case 2 -> List.of(answerOrWithdraw(), Step.acquire(++requests, permits(), List.of()));
            case 3 -> List.of(steerAtAnyTime(), Step.of(Step.Verb.CANCEL, who, 0));
            case 4 -> List.of(Step.acquire(++requests, permits(), List.of(answerOrWithdraw())), answerOrWithdraw());
            default -> List.of();
        };
    }

    private Step answerOrWithdraw() {
        int who = 1 + random.nextInt(requests + 1);
        return switch (random.nextInt(6)) {
            case 0, 1 -> Step.of(Step.Verb.CANCEL, who, 0);
            case 2, 3 -> Step.of(Step.Verb.CLOSE, who, 0);
            case 4 -> Step.of(Step.Verb.SETTLE, who, random.nextInt(7) - 1);
            default -> Step.of(Step.Verb.GIVE_BACK, who, 0);
        };
    }

    /**
     * A reaction may come late, when what it would reconfigure an exact window to has become longer again. And it takes no time:
     * the ledger takes the instant of an answer for that of the decision.
     */
    private Step steerAtAnyTime() {
        Step step = steer();
        boolean isLonger = step.verb() == Step.Verb.RECONFIGURE && setup.keepsExactWindow();
        return isLonger || step.verb() == Step.Verb.JUMP ? Step.of(Step.Verb.CLOSE_LIMITER) : step;
    }

    private Step steer() {
        return switch (random.nextInt(9)) {
            case 0, 1 -> Step.of(Step.Verb.CHARGE, 0, random.nextInt(9) - 1);
            case 2, 3 -> Step.of(Step.Verb.PAUSE, nanos());
            case 4, 5 -> {
                limit = changed(limit);
                yield Step.reconfigure(limit);
            }
            case 6 -> Step.of(Step.Verb.JUMP, nanos());
            case 7 -> Step.of(Step.Verb.REFUSE_TASKS);
            default -> Step.of(Step.Verb.TAKE_TASKS);
        };
    }
}
