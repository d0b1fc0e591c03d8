package dev.weir.samples.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GatewayArgumentsTest {

    @Test
    @DisplayName("an argument that is missing has its usual value")
    void usual() {
        assertThat(GatewayArguments.parse()).isEqualTo(new GatewayArguments(8_080, 1_000, 0, 200));
        assertThat(GatewayArguments.parse("--load")).isEqualTo(new GatewayArguments(8_080, 1_000, 50_000, 200));
        assertThat(GatewayArguments.parse("--load", "--rate", "5"))
                .isEqualTo(new GatewayArguments(8_080, 5, 50_000, 200));
        assertThat(GatewayArguments.parse("--port", "0", "--load", "10", "2"))
                .isEqualTo(new GatewayArguments(0, 1_000, 10, 2));
    }

    @ParameterizedTest
    @DisplayName("an argument that makes no sense is named")
    @ValueSource(
            strings = {"--prot 1", "--port", "--port x", "--port 70000", "--rate 0", "--load 0 1", "--load 5", "x"})
    void senseless(String args) {
        assertThatIllegalArgumentException().isThrownBy(() -> GatewayArguments.parse(args.split(" ", -1)));
    }
}
