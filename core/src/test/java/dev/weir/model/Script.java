package dev.weir.model;

import dev.weir.limit.Limit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Steps to be played on a limiter and on its model, which must not differ in anything that a user can see. Requests are known
 * by numbers.
 */
record Script(Setup setup, List<Step> steps) {

    Script {
        steps = List.copyOf(steps);
    }

    static Script on(Setup setup) {
        return new Script(setup, List.of());
    }

    Script and(Step step) {
        List<Step> more = new ArrayList<>(steps);
        more.add(step);
        return new Script(setup, more);
    }

    Script acquire(int who, int permits) {
        return and(Step.acquire(who, permits, List.of()));
    }

    Script acquire(int who, int permits, UnaryOperator<Script> reaction) {
        return and(Step.acquire(who, permits, reaction.apply(on(setup)).steps()));
    }

    Script acquireWithin(int who, int permits, long nanos) {
        return and(Step.acquireWithin(who, permits, nanos, List.of()));
    }

    Script acquireWithin(int who, int permits, long nanos, UnaryOperator<Script> reaction) {
        return and(Step.acquireWithin(
                who, permits, nanos, reaction.apply(on(setup)).steps()));
    }

    Script tryAcquire(int who, int permits) {
        return and(Step.of(Step.Verb.TRY_ACQUIRE, who, permits));
    }

    Script tryConsume(int permits) {
        return and(Step.of(Step.Verb.TRY_CONSUME, 0, permits));
    }

    Script cancel(int who) {
        return and(Step.of(Step.Verb.CANCEL, who, 0));
    }

    Script close(int who) {
        return and(Step.of(Step.Verb.CLOSE, who, 0));
    }

    Script settle(int who, int actualPermits) {
        return and(Step.of(Step.Verb.SETTLE, who, actualPermits));
    }

    Script giveBack(int who) {
        return and(Step.of(Step.Verb.GIVE_BACK, who, 0));
    }

    Script charge(int permits) {
        return and(Step.of(Step.Verb.CHARGE, 0, permits));
    }

    Script pause(long nanos) {
        return and(Step.of(Step.Verb.PAUSE, nanos));
    }

    Script reconfigure(Limit limit) {
        return and(Step.reconfigure(limit));
    }

    Script closeLimiter() {
        return and(Step.of(Step.Verb.CLOSE_LIMITER));
    }

    Script advance(long nanos) {
        return and(Step.of(Step.Verb.ADVANCE, nanos));
    }

    Script jump(long nanos) {
        return and(Step.of(Step.Verb.JUMP, nanos));
    }

    Script fireTimers() {
        return and(Step.of(Step.Verb.FIRE_TIMERS));
    }

    Script refuseTasks() {
        return and(Step.of(Step.Verb.REFUSE_TASKS));
    }

    Script takeTasks() {
        return and(Step.of(Step.Verb.TAKE_TASKS));
    }

    Script fail() {
        return and(Step.of(Step.Verb.FAIL));
    }

    /** Plays it, and fails where limiter and model differ or the ledger complains. */
    void play() {
        difference(UnaryOperator.identity()).ifPresent(difference -> {
            throw new AssertionError(difference);
        });
    }

    /** Plays it on a limiter with a fault planted into its limit, and tells what came of it; empty if nothing. */
    Optional<String> difference(UnaryOperator<Limit> planted) {
        Thread thread = Thread.currentThread();
        Thread.UncaughtExceptionHandler before = thread.getUncaughtExceptionHandler();
        try {
            EngineSubject engine = new EngineSubject(setup, planted);
            LimiterModel model = new LimiterModel(setup);
            for (int i = 0; i < steps.size(); i++) {
                String difference = play(steps.get(i), engine, model);
                if (!difference.isEmpty()) {
                    return Optional.of("step " + (i + 1) + ", " + steps.get(i).source() + ": " + difference);
                }
            }
            return Optional.empty();
        } finally {
            thread.setUncaughtExceptionHandler(before);
        }
    }

    private static String play(Step step, EngineSubject engine, LimiterModel model) {
        int heardBefore = model.heard().size();
        try {
            step.playOn(engine);
        } catch (RuntimeException | AssertionError e) {
            return "the limiter threw " + e;
        }
        step.playOn(model);
        List<String> heard = engine.heard().subList(heardBefore, engine.heard().size());
        List<String> expected = model.heard().subList(heardBefore, model.heard().size());
        if (!heard.equals(expected)) {
            return "heard " + heard + ", but the model " + expected;
        }
        if (!engine.state().equals(model.state())) {
            return "shows " + engine.state() + ", but the model " + model.state();
        }
        OptionalLong idle = engine.idleNanos();
        OptionalLong full = model.nanosSinceFull();
        return idle.isPresent() && full.isPresent() && !idle.equals(full)
                ? "idle for " + idle + ", but full, says the model, for " + full
                : engine.complaint();
    }

    /** The same, with requests numbered in the order in which they are asked. */
    Script renumbered() {
        Map<Integer, Integer> numbers = new HashMap<>();
        List<Step> renumbered = steps.stream()
                .map(step -> step.renumbered(who -> numbers.computeIfAbsent(who, any -> numbers.size() + 1)))
                .toList();
        return new Script(setup, renumbered);
    }

    /** A test that plays it, in Java. */
    String source(String name) {
        String calls = steps.stream()
                .map(step -> "            " + step.source() + "\n")
                .collect(Collectors.joining());
        return "@Test\nvoid " + name + "() {\n    Script.on(" + setup.source() + ")\n" + calls
                + "            .play();\n}\n";
    }
}
