package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DerivedTest {

    private final List<Integer> derivations = new ArrayList<>();
    private final Derived<Concurrency, String> derived = new Derived<>(limit -> {
        derivations.add(limit.permits());
        return "of " + limit.permits();
    });

    @Test
    @DisplayName("a value derived from a limit is kept for the next that asks, beside those of others")
    void isKept() {
        for (int time = 0; time < 3; time++) {
            assertThat(derived.from(new Concurrency(1))).isEqualTo("of 1");
            assertThat(derived.from(new Concurrency(2))).isEqualTo("of 2");
        }
        assertThat(derivations).containsExactly(1, 2);
    }

    @Test
    @DisplayName("of limits that share a place each has its own, however many there are")
    void sharedPlaces() {
        for (int limit = 1; limit < 10_000; limit++) {
            assertThat(derived.from(new Concurrency(limit))).isEqualTo("of " + limit);
            assertThat(derived.from(new Concurrency(limit / 2 + 1))).isEqualTo("of " + (limit / 2 + 1));
        }
    }
}
