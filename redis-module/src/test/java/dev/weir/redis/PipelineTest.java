package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.VirtualTimeSource;
import dev.weir.time.TimeSource;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PipelineTest {

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final List<List<ScriptCall>> writes = new ArrayList<>();
    private final Socket socket = new Socket(writes::add);
    private final List<String> heard = new ArrayList<>();
    private final Pipeline pipeline = new Pipeline(socket, time);

    /** Takes everything, as long as it is told to. */
    private static final class Socket implements Pipeline.Wire {

        private final Consumer<List<ScriptCall>> server;
        boolean isOpen = true;
        int most = Integer.MAX_VALUE;
        int refusals;
        boolean byAnError;

        Socket(Consumer<List<ScriptCall>> server) {
            this.server = server;
        }

        @Override
        public int few() {
            return isOpen ? Wires.FEW : Integer.MAX_VALUE;
        }

        @Override
        public int most() {
            return most;
        }

        @Override
        public void write(List<ScriptCall> together) {
            if (refusals > 0) {
                refusals--;
                if (byAnError) {
                    throw new OutOfMemoryError("closed");
                }
                throw new IllegalStateException("closed");
            }
            server.accept(together);
        }
    }

    private void send(String name) {
        pipeline.send(
                command(name),
                (reply, failure) -> heard.add(name + " " + (failure == null ? reply : failure.getMessage())));
    }

    private static OnceCommand command(String name) {
        return new OnceCommand(CommandType.EVAL, name, new String[0], new String[0]);
    }

    private void sendMany(int from, int to) {
        for (int i = from; i < to; i++) {
            send("c" + i);
        }
    }

    private static void answer(ScriptCall command) {
        command.getOutput().set(StringCodec.UTF8.encodeValue("yes"));
        command.complete();
    }

    private List<Integer> sizes() {
        return writes.stream().map(List::size).toList();
    }

    @Test
    @DisplayName("while few are unanswered each goes at once and by itself")
    void fewGoAtOnce() {
        sendMany(0, Wires.FEW);
        assertThat(sizes()).hasSize(Wires.FEW).containsOnly(1);
        writes.forEach(write -> answer(write.get(0)));
        assertThat(heard).containsExactly("c0 yes", "c1 yes", "c2 yes", "c3 yes");
        send("late");
        assertThat(sizes()).hasSize(Wires.FEW + 1);
    }

    @Test
    @DisplayName("a command that comes while four are unanswered goes with others, in order")
    void othersGoTogether() {
        sendMany(0, 20);
        assertThat(sizes()).hasSize(Wires.FEW).containsOnly(1);
        answer(writes.get(0).get(0));
        assertThat(sizes()).containsExactly(1, 1, 1, 1, 16);
        List<ScriptCall> together = writes.get(4);
        assertThat(together.stream().map(call -> call.command.script))
                .containsExactlyElementsOf(Stream.iterate(4, i -> i + 1)
                        .limit(16)
                        .map(i -> "c" + i)
                        .toList());

        sendMany(20, 30);
        writes.subList(1, 4).forEach(write -> answer(write.get(0)));
        together.subList(0, 12).forEach(PipelineTest::answer);
        assertThat(writes).as("four are left").hasSize(5);
        answer(together.get(12));
        assertThat(sizes()).containsExactly(1, 1, 1, 1, 16, 10);
    }

    @Test
    @DisplayName("a server's refusal counts as an answer")
    void refusedByTheServer() {
        sendMany(0, 10);
        writes.get(2).get(0).completeExceptionally(new RedisCommandExecutionException("ERR"));
        assertThat(heard).containsExactly("c2 ERR");
        assertThat(sizes()).containsExactly(1, 1, 1, 1, 6);
    }

    @Test
    @DisplayName(
            "a failure of the client, which may hold its lock, counts as an answer, but another thread sends what it lets go")
    void failureOfTheClient() {
        sendMany(0, 10);
        writes.get(2).get(0).completeExceptionally(new IllegalStateException("lost"));
        assertThat(heard).containsExactly("c2 lost");
        assertThat(sizes()).containsExactly(1, 1, 1, 1);
        time.advanceBy(Duration.ZERO);
        assertThat(sizes()).containsExactly(1, 1, 1, 1, 6);
    }

    @Test
    @DisplayName("a pipeline without a connection keeps no command")
    void noConnection() {
        sendMany(0, 10);
        socket.isOpen = false;
        sendMany(10, 12);
        assertThat(sizes()).containsExactly(1, 1, 1, 1, 7, 1);
    }

    @Test
    @DisplayName("in a hurry nothing is kept back, nor what had been")
    void hurried() {
        sendMany(0, 10);
        pipeline.hurry();
        sendMany(10, 12);
        assertThat(sizes()).containsExactly(1, 1, 1, 1, 6, 1, 1);
    }

    @Test
    @DisplayName("no more go together than the connection takes")
    void noMoreThanItTakes() {
        socket.most = 3;
        sendMany(0, 20);
        answer(writes.get(0).get(0));
        assertThat(sizes()).as("three unanswered and three more").containsExactly(1, 1, 1, 1, 3);
        for (int write = 1; write < writes.size(); write++) {
            writes.get(write).forEach(PipelineTest::answer);
        }
        assertThat(heard).hasSize(20);
    }

    @Test
    @DisplayName("a listener that calls back asks the next question")
    void questionsFromAnswers() {
        for (int i = 0; i < 8; i++) {
            pipeline.send(command("first"), (reply, failure) -> send("second"));
        }
        writes.get(0).forEach(PipelineTest::answer);
        assertThat(sizes()).as("the second one waits for its company").containsExactly(1, 1, 1, 1, 4);
        for (int write = 1; write < writes.size(); write++) {
            writes.get(write).forEach(PipelineTest::answer);
        }
        assertThat(heard).hasSize(8).containsOnly("second yes");
    }

    @Test
    @DisplayName("a command that the connection does not take fails alone")
    void refused() {
        for (boolean byAnError : new boolean[] {false, true}) {
            socket.refusals = 3;
            socket.byAnError = byAnError;
            sendMany(0, 5);
            assertThat(heard).containsExactly("c0 closed", "c1 closed", "c2 closed");
            assertThat(sizes()).containsExactly(1, 1);
            writes.forEach(write -> answer(write.get(0)));
            writes.clear();
            heard.clear();
        }
    }

    @Test
    @DisplayName("as long as the connection takes nothing, all fail one after the other, not one inside the other")
    void takesNothing() {
        int many = 100_000;
        sendMany(0, Wires.FEW + many);
        socket.refusals = many;
        socket.most = 1;
        writes.get(0).get(0).completeExceptionally(new IllegalStateException("lost"));
        time.advanceBy(Duration.ZERO);
        assertThat(heard).hasSize(1 + many).allMatch(answer -> answer.endsWith("lost") || answer.endsWith("closed"));
        assertThat(writes).hasSize(Wires.FEW);
    }

    @Test
    @DisplayName("a listener that throws holds up no command")
    void whoThrows() {
        for (int i = 0; i < 10; i++) {
            pipeline.send(command("c"), (reply, failure) -> {
                heard.add(reply);
                throw new IllegalStateException("of a listener");
            });
        }
        for (int write = 0; write < writes.size(); write++) {
            writes.get(write).forEach(PipelineTest::answer);
        }
        assertThat(heard).hasSize(10).containsOnly("yes");
    }

    @Test
    @DisplayName("many threads send and others answer: every command is written once, and the last ones too")
    void nothingIsLeft() throws InterruptedException {
        int senders = 3;
        int each = 20_000;
        BlockingQueue<ScriptCall> server = new LinkedBlockingQueue<>();
        Socket many = new Socket(server::addAll);
        many.most = 64;
        Pipeline shared = new Pipeline(many, TimeSource.system());
        AtomicInteger answered = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int sender = 0; sender < senders; sender++) {
            threads.add(new Thread(() -> {
                for (int i = 0; i < each; i++) {
                    shared.send(command("c"), (reply, failure) -> answered.incrementAndGet());
                }
            }));
        }
        for (int answerer = 0; answerer < 2; answerer++) {
            threads.add(new Thread(() -> {
                try {
                    for (int i = 0; i < senders * each / 2; i++) {
                        answer(server.take());
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(answered).hasValue(senders * each);
        assertThat(server).isEmpty();
    }
}
