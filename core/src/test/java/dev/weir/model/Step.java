package dev.weir.model;

import dev.weir.limit.AllOf;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One step of a script.
 *
 * @param verb what to do
 * @param who the request that is meant, where one is
 * @param permits how many, where that matters
 * @param nanos for how long, where that matters; negative for no bound
 * @param limit what to reconfigure to
 * @param reaction what the listener of a request does
 */
record Step(Verb verb, int who, int permits, long nanos, Limit limit, List<Step> reaction) {

    private static final Limit NO_LIMIT = Limit.unlimited();

    /** What can be done to a limiter, and to its time. */
    enum Verb {
        ACQUIRE("acquire"),
        ACQUIRE_WITHIN("acquireWithin"),
        TRY_ACQUIRE("tryAcquire"),
        TRY_CONSUME("tryConsume"),
        CANCEL("cancel"),
        CLOSE("close"),
        SETTLE("settle"),
        GIVE_BACK("giveBack"),
        CHARGE("charge"),
        PAUSE("pause"),
        RECONFIGURE("reconfigure"),
        CLOSE_LIMITER("closeLimiter"),
        ADVANCE("advance"),
        JUMP("jump"),
        FIRE_TIMERS("fireTimers"),
        REFUSE_TASKS("refuseTasks"),
        TAKE_TASKS("takeTasks"),
        FAIL("fail");

        private final String word;

        Verb(String word) {
            this.word = word;
        }
    }

    static Step acquire(int who, int permits, List<Step> reaction) {
        return new Step(Verb.ACQUIRE, who, permits, -1, NO_LIMIT, reaction);
    }

    static Step acquireWithin(int who, int permits, long nanos, List<Step> reaction) {
        return new Step(Verb.ACQUIRE_WITHIN, who, permits, nanos, NO_LIMIT, reaction);
    }

    static Step of(Verb verb, int who, int permits) {
        return new Step(verb, who, permits, -1, NO_LIMIT, List.of());
    }

    static Step of(Verb verb, long nanos) {
        return new Step(verb, 0, 0, nanos, NO_LIMIT, List.of());
    }

    static Step of(Verb verb) {
        return of(verb, 0, 0);
    }

    static Step reconfigure(Limit limit) {
        return new Step(Verb.RECONFIGURE, 0, 0, -1, limit, List.of());
    }

    void playOn(Subject subject) {
        switch (verb) {
            case ACQUIRE, ACQUIRE_WITHIN -> subject.acquire(who, permits, nanos, reaction);
            case TRY_ACQUIRE -> subject.tryAcquire(who, permits);
            case TRY_CONSUME -> subject.tryConsume(permits);
            case CANCEL -> subject.cancel(who);
            case CLOSE -> subject.close(who);
            case SETTLE -> subject.settle(who, permits);
            case GIVE_BACK -> subject.giveBack(who);
            case CHARGE -> subject.charge(permits);
            case PAUSE -> subject.pause(nanos);
            case RECONFIGURE -> subject.reconfigure(limit);
            case CLOSE_LIMITER -> subject.closeLimiter();
            case ADVANCE -> subject.advance(nanos);
            case JUMP -> subject.jump(nanos);
            case FIRE_TIMERS -> subject.fireTimers();
            case REFUSE_TASKS -> subject.refuseTasks(true);
            case TAKE_TASKS -> subject.refuseTasks(false);
            case FAIL -> subject.fail();
        }
    }

    /** As a call, in Java. */
    String source() {
        String arguments = switch (verb) {
            case ACQUIRE -> who + ", " + permits + reactionSource();
            case ACQUIRE_WITHIN -> who + ", " + permits + ", " + nanos + reactionSource();
            case TRY_ACQUIRE, SETTLE -> who + ", " + permits;
            case CANCEL, CLOSE, GIVE_BACK -> "" + who;
            case TRY_CONSUME, CHARGE -> "" + permits;
            case PAUSE, ADVANCE, JUMP -> nanos + (nanos == (int) nanos ? "" : "L");
            case RECONFIGURE -> source(limit);
            default -> "";
        };
        return "." + verb.word + "(" + arguments + ")";
    }

    private String reactionSource() {
        String name = "after" + who;
        return reaction.isEmpty()
                ? ""
                : reaction.stream().map(Step::source).collect(Collectors.joining("", ", " + name + " -> " + name, ""));
    }

    static String source(Limit limit) {
        if (limit instanceof AllOf several) {
            return several.limits().stream().map(Step::source).collect(Collectors.joining(", ", "Limit.allOf(", ")"));
        }
        Stream<String> parts = Stream.of(limit.getClass().getRecordComponents()).map(component -> {
            try {
                Object value = component.getAccessor().invoke(limit);
                return value instanceof Duration duration ? "Duration.ofNanos(" + duration.toNanos() + ")" : "" + value;
            } catch (ReflectiveOperationException e) {
                throw new LinkageError("no record", e);
            }
        });
        return parts.collect(Collectors.joining(", ", "new " + limit.getClass().getSimpleName() + "(", ")"));
    }

    /** The same step with one thing about it simpler, the simplest first. */
    List<Step> simpler() {
        List<Step> simpler = new ArrayList<>();
        if (verb == Verb.ACQUIRE_WITHIN) {
            simpler.add(acquire(who, permits, reaction));
        }
        for (int left = 0; left < reaction.size(); left++) {
            List<Step> fewer = new ArrayList<>(reaction);
            fewer.remove(left);
            simpler.add(new Step(verb, who, permits, nanos, limit, fewer));
        }
        for (long fewer : smaller(permits)) {
            simpler.add(new Step(verb, who, (int) fewer, nanos, limit, reaction));
        }
        for (long shorter : smaller(nanos)) {
            simpler.add(new Step(verb, who, permits, shorter, limit, reaction));
        }
        return simpler;
    }

    static List<Long> smaller(long number) {
        return number <= 0
                ? List.of()
                : Stream.of(0L, 1L, number / 2, number - 1)
                        .distinct()
                        .filter(smaller -> smaller < number)
                        .toList();
    }

    /** The same step, of another request; what the reaction means changes alike. */
    Step renumbered(IntUnaryOperator number) {
        List<Step> inside =
                reaction.stream().map(step -> step.renumbered(number)).toList();
        return new Step(verb, who == 0 ? 0 : number.applyAsInt(who), permits, nanos, limit, inside);
    }
}
