package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** No more calls than so many, whatever becomes of them. */
class BoundedCommandsTest {

    private static final int MOST = 3;
    private static final Script NO_SCRIPT = Script.of("return ''");

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final Queue<Commands.Listener> underWay = new ArrayDeque<>();
    private final BoundedCommands bounded =
            new BoundedCommands((script, keys, arguments, listener) -> underWay.add(listener), MOST, time);
    private final List<Object> heard = new ArrayList<>();

    private final Commands.Listener listener = new Commands.Listener() {
        @Override
        public void replied(String reply) {
            heard.add(reply);
        }

        @Override
        public void failed(Throwable cause) {
            heard.add(cause);
        }
    };

    private void run() {
        bounded.run(NO_SCRIPT, new String[0], new String[0], listener);
    }

    private void fill() {
        for (int i = 0; i < MOST; i++) {
            run();
        }
        assertThat(heard).isEmpty();
    }

    private void checkFull() {
        assertThat(underWay).hasSize(MOST);
        run();
        assertThat(underWay).hasSize(MOST);
        assertThat(heard).hasSize(1).hasOnlyElementsOfType(TooManyCallsException.class);
        heard.clear();
    }

    @Test
    @DisplayName("a call too many fails at once, and is not made")
    void oneMore() {
        fill();
        checkFull();
        checkFull();
    }

    @Test
    @DisplayName("but in the end, when nothing can be said later, all are made")
    void unbound() {
        fill();
        checkFull();
        bounded.unbind();
        run();
        run();
        assertThat(underWay).hasSize(MOST + 2);
        assertThat(heard).isEmpty();
    }

    @Test
    @DisplayName("a call that is answered or fails makes room for one, once")
    void roomAgain() {
        fill();
        Commands.Listener first = underWay.remove();
        first.replied("");
        assertThat(heard).containsExactly("");
        heard.clear();
        run();
        checkFull();
        first.failed(new IllegalStateException("twice"));
        heard.clear();
        checkFull();
        underWay.remove().failed(new IllegalStateException("lost"));
        heard.clear();
        run();
        checkFull();
    }

    @Test
    @DisplayName("a listener of a reply may call again from there")
    void againFromThere() {
        fill();
        Commands refilling = new BoundedCommands((script, keys, arguments, heard) -> underWay.add(heard), 1, time);
        refilling.run(NO_SCRIPT, new String[0], new String[0], new Commands.Listener() {
            @Override
            public void replied(String reply) {
                refilling.run(NO_SCRIPT, new String[0], new String[0], listener);
            }

            @Override
            public void failed(Throwable cause) {
                heard.add(cause);
            }
        });
        underWay.stream().reduce((one, other) -> other).orElseThrow().replied("");
        assertThat(heard).isEmpty();
        assertThat(underWay).hasSize(MOST + 2);
    }

    @Test
    @DisplayName("a call that cannot be made leaves its place")
    void refused() {
        Commands refusing = new BoundedCommands(
                (script, keys, arguments, heard) -> {
                    throw new IllegalStateException("refused");
                },
                1,
                time);
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> refusing.run(NO_SCRIPT, new String[0], new String[0], listener))
                    .hasMessage("refused");
        }
        assertThat(heard).isEmpty();
    }

    private final List<String> closed = new ArrayList<>();

    private void close() {
        bounded.runLast(() -> closed.add("closed"), Duration.ofMillis(50).toNanos());
    }

    @Test
    @DisplayName("a last call runs at once if none is under way, and once")
    void lastAtOnce() {
        close();
        assertThat(closed).hasSize(1);
        run();
        underWay.remove().replied("");
        time.advanceBy(Duration.ofSeconds(1));
        assertThat(closed).hasSize(1);
    }

    @Test
    @DisplayName("or else when all have been answered, and whatever they led to, on a thread of the time source")
    void lastAfterAll() {
        bounded.run(NO_SCRIPT, new String[0], new String[0], new Commands.Listener() {
            @Override
            public void replied(String reply) {
                run();
            }

            @Override
            public void failed(Throwable cause) {
                heard.add(cause);
            }
        });
        close();
        underWay.remove().replied("");
        time.advanceBy(Duration.ZERO);
        assertThat(closed).isEmpty();
        underWay.remove().failed(new IllegalStateException("lost"));
        assertThat(closed).isEmpty();
        time.advanceBy(Duration.ZERO);
        assertThat(closed).hasSize(1);
    }

    @Test
    @DisplayName("a last call runs after what an answer just before it leads to")
    void lastAfterWhatIsJustBeingTold() {
        bounded.run(NO_SCRIPT, new String[0], new String[0], new Commands.Listener() {
            @Override
            public void replied(String reply) {
                close();
                run();
            }

            @Override
            public void failed(Throwable cause) {
                heard.add(cause);
            }
        });
        underWay.remove().replied("");
        time.advanceBy(Duration.ZERO);
        assertThat(closed).isEmpty();
        underWay.remove().replied("given back");
        assertThat(heard).containsExactly("given back");
        time.advanceBy(Duration.ZERO);
        assertThat(closed).hasSize(1);
    }

    @Test
    @DisplayName("a last call runs at its deadline if answers do not come")
    void lastAtTheLatest() {
        run();
        close();
        time.advanceBy(Duration.ofMillis(50).minusNanos(1));
        assertThat(closed).isEmpty();
        time.advanceBy(Duration.ofNanos(1));
        assertThat(closed).hasSize(1);
    }
}
