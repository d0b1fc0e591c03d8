package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisNoScriptException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Calls that fail in an unusual way. */
class LettuceCommandsTest {

    private final List<ScriptCall> written = new ArrayList<>();
    private final List<String> heard = new ArrayList<>();
    private boolean isBroken;

    private final Pipeline.Wire wire = new Pipeline.Wire() {

        @Override
        public int few() {
            if (isBroken) {
                throw new IllegalStateException("broken");
            }
            return Wires.FEW;
        }

        @Override
        public int most() {
            return 1;
        }

        @Override
        public void write(List<ScriptCall> together) {
            written.addAll(together);
        }
    };

    private final Commands.Listener listener = new Commands.Listener() {

        @Override
        public void replied(String reply) {
            heard.add("replied " + reply);
        }

        @Override
        public void failed(Throwable cause) {
            heard.add("failed " + cause.getMessage());
        }
    };

    private void run() {
        new LettuceCommands(wire).run(Script.of("return 1"), new String[] {"key"}, new String[0], listener);
    }

    private void runForgotten() {
        run();
        isBroken = true;
        written.get(0).completeExceptionally(new RedisNoScriptException("NOSCRIPT"));
    }

    @Test
    @DisplayName("who asked hears that the script's text cannot be sent")
    void textNotSent() {
        runForgotten();
        assertThat(heard).containsExactly("failed broken");
    }

    private static final class UnreadableException extends RuntimeException {

        private static final long serialVersionUID = 1;

        @Override
        public synchronized Throwable getCause() {
            throw new IllegalStateException("unreadable");
        }
    }

    @Test
    @DisplayName("who asked hears of a failure whose reason cannot be told")
    void reasonNotTold() {
        run();
        written.get(0).completeExceptionally(new UnreadableException());
        assertThat(heard).containsExactly("failed unreadable");
    }
}
