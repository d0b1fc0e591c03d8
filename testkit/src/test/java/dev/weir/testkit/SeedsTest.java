package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SeedsTest {

    @Test
    @DisplayName("each seed is tried, and the first that a law fails for is named")
    void namesTheOneThatFails() {
        List<Long> tried = new ArrayList<>();
        Seeds.each(3, tried::add);
        assertThat(tried).containsExactly(1L, 2L, 3L);
        assertThatThrownBy(() -> Seeds.each(9, seed -> assertThat(seed).isLessThan(4)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("seed 4: ")
                .hasMessageContaining("less than");
    }
}
