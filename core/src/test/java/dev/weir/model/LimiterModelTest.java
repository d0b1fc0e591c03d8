package dev.weir.model;

import dev.weir.limit.Limit;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Random scripts on the whole engine beside the model of a limiter. With {@code -Dweir.model.scripts=100000} more of them, with
 * {@code -Dweir.model.seed=42} from that seed on.
 */
class LimiterModelTest {

    private static final long FIRST = Long.getLong("weir.model.seed", 1);
    private static final long SCRIPTS = Long.getLong("weir.model.scripts", 10_000);

    @Test
    @DisplayName("a limiter does what its model does, whatever is done to it")
    void doesAsItsModelDoes() {
        for (long seed = FIRST; seed < FIRST + SCRIPTS; seed++) {
            Script script = RandomScripts.of(seed);
            if (script.difference(UnaryOperator.identity()).isPresent()) {
                throw new AssertionError(report(seed, script, UnaryOperator.identity()));
            }
        }
    }

    static String report(long seed, Script failing, UnaryOperator<Limit> planted) {
        Script shortest = new Shrinker(script -> script.difference(planted).isPresent()).shrink(failing);
        Optional<String> difference = shortest.difference(planted);
        return "seed " + seed + ", " + difference.orElse("") + "\n\n" + shortest.source("foundBySeed" + seed);
    }
}
