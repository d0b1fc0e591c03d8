package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class NodeTest {

    private final Node node = Nodes.node();

    @Test
    @DisplayName(
            "a node is in haste from when it is closed until all is given back, and leaves for good, be it closed again")
    void closedAgain() {
        assertThat(node.isInHaste()).isFalse();
        node.hurry();
        assertThat(node.isInHaste()).isTrue();
        assertThat(node.isLeaving()).isFalse();
        node.leave();
        node.hurry();
        assertThat(node.isLeaving()).isTrue();
        assertThat(node.isInHaste()).isFalse();
        assertThat(node.isDisconnected()).isFalse();
        node.disconnect();
        node.hurry();
        node.leave();
        assertThat(node.isDisconnected()).isTrue();
        assertThat(node.isLeaving()).isTrue();
    }
}
