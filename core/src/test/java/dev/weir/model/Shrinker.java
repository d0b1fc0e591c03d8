package dev.weir.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Makes a script that fails shorter and simpler as long as it still fails. */
final class Shrinker {

    private final Predicate<Script> fails;

    Shrinker(Predicate<Script> fails) {
        this.fails = fails;
    }

    Script shrink(Script failing) {
        Script smallest = failing;
        for (Optional<Script> next = Optional.of(failing); next.isPresent(); next = simpler(smallest)) {
            smallest = next.get();
        }
        Script renumbered = smallest.renumbered();
        return fails.test(renumbered) ? renumbered : smallest;
    }

    private Optional<Script> simpler(Script script) {
        return withoutSteps(script)
                .or(() -> withSimplerSteps(script))
                .or(() -> script.setup().simpler().stream()
                        .map(setup -> new Script(setup, script.steps()))
                        .filter(fails)
                        .findFirst());
    }

    /** Leaves out steps, many at a time before one at a time. */
    private Optional<Script> withoutSteps(Script script) {
        int size = script.steps().size();
        for (int length = Math.max(1, size / 2); length > 0; length /= 2) {
            for (int from = 0; from + length <= size; from++) {
                List<Step> fewer = new ArrayList<>(script.steps());
                fewer.subList(from, from + length).clear();
                Script shorter = new Script(script.setup(), fewer);
                if (fails.test(shorter)) {
                    return Optional.of(shorter);
                }
            }
        }
        return Optional.empty();
    }

    private Optional<Script> withSimplerSteps(Script script) {
        for (int i = 0; i < script.steps().size(); i++) {
            for (Step simpler : script.steps().get(i).simpler()) {
                List<Step> changed = new ArrayList<>(script.steps());
                changed.set(i, simpler);
                Script candidate = new Script(script.setup(), changed);
                if (fails.test(candidate)) {
                    return Optional.of(candidate);
                }
            }
        }
        return Optional.empty();
    }
}
