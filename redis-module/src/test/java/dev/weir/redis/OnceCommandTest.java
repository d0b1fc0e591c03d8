package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A call that a client writes, perhaps over a second connection, and what the server says to that. */
class OnceCommandTest {

    private final OnceCommand call =
            new OnceCommand(CommandType.EVALSHA, "digest", new String[] {"key"}, new String[0]);

    private String written() {
        ByteBuf target = Unpooled.buffer();
        call.encode(target);
        return target.toString(StandardCharsets.US_ASCII);
    }

    private void answerWithError(String error) {
        call.getOutput().setError(ByteBuffer.wrap(error.getBytes(StandardCharsets.US_ASCII)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LOADING Redis is loading the dataset in memory",
                "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
                "NOAUTH Authentication required."
            })
    @DisplayName("an error is no answer to what was sent over the connection before, which may have been done")
    void errorAfterResending(String error) {
        assertThat(written()).contains("EVALSHA");
        assertThat(written()).contains("PING").doesNotContain("EVALSHA");
        answerWithError(error);
        assertThat(call.isRefused()).isFalse();
        assertThat(call.getOutput().getError()).isEqualTo("the connection was lost before the answer came");
        assertThat(written()).contains("PING").doesNotContain("EVALSHA");
    }

    @Test
    @DisplayName("a call that is answered with an error has not been done, and may be sent once more")
    void errorAtOnce() {
        assertThat(written()).contains("EVALSHA");
        answerWithError("MOVED 1 127.0.0.1:6379");
        assertThat(call.isRefused()).isTrue();
        assertThat(call.getOutput().getError()).isEqualTo("MOVED 1 127.0.0.1:6379");
        assertThat(written()).contains("EVALSHA");
    }

    @Test
    @DisplayName("a call that one node has answered with an error may have been done by the next, if that is lost")
    void lostAfterAnError() {
        assertThat(written()).contains("EVALSHA");
        answerWithError("MOVED 1 127.0.0.1:6379");
        assertThat(written()).contains("EVALSHA");
        assertThat(written()).contains("PING").doesNotContain("EVALSHA");
        call.getOutput().set(ByteBuffer.wrap("PONG".getBytes(StandardCharsets.US_ASCII)));
        assertThat(call.isRefused()).isFalse();
        assertThat(call.getOutput().getError()).isEqualTo("the connection was lost before the answer came");
    }
}
