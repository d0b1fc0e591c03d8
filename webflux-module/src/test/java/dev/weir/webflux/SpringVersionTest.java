package dev.weir.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.core.SpringVersion;

/** All tests run twice, once with each Spring. */
class SpringVersionTest {

    @Test
    @DisplayName("the Spring that was meant is the one that is there")
    void version() {
        assertThat(SpringVersion.getVersion()).startsWith(System.getProperty("expected.spring", "6.2."));
    }
}
