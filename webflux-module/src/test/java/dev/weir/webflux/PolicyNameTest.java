package dev.weir.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PolicyNameTest {

    @Test
    @DisplayName("names that differ are written differently, also if one reads as another is written")
    void differ() {
        assertThat(PolicyName.of("\u00fc")).isEqualTo("%c3%bc");
        assertThat(PolicyName.of("%c3%bc")).isEqualTo("%25c3%25bc");
    }
}
