package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** All tests but the longest run on the newest 3.7, on 3.8 and on the oldest that will do. */
class ReactorVersionTest {

    @Test
    @DisplayName("the Reactor that was meant is the one that is there")
    void version() {
        assertThat(Flux.class.getPackage().getImplementationVersion())
                .startsWith(System.getProperty("expected.reactor", "3.7."));
    }
}
