package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class BatchTest {

    private static final int MOST = 8;

    private final List<ScriptCall> apart = new ArrayList<>();

    private static ScriptCall call(CommandType how, String script, String key, String limit) {
        ScriptCall call = new ScriptCall(new OnceCommand(
                how, script, new String[] {key}, new String[] {"1", "2", "", "of " + key, limit, "60"}));
        var unused = call.exceptionally(failure -> ""); // who asks hears it
        return call;
    }

    private static ScriptCall call(String key, String limit) {
        return call(CommandType.EVALSHA, "sha", key, limit);
    }

    private static List<ScriptCall> calls(int many) {
        return IntStream.range(0, many).mapToObj(i -> call("k" + i, "5")).toList();
    }

    private List<ScriptCall> batched(List<ScriptCall> calls) {
        return Batch.of(calls, MOST, apart::addAll);
    }

    private static List<String> keys(ScriptCall command) {
        return List.of(command.command.keys);
    }

    private static Stream<Throwable> failures(List<ScriptCall> calls) {
        return calls.stream()
                .map(call -> call.handle((reply, failure) -> failure)
                        .toCompletableFuture()
                        .join());
    }

    /** As who asks is told of them. */
    private static List<Throwable> failuresTold(List<ScriptCall> calls) {
        return calls.stream()
                .flatMap(call -> failures(List.of(call)).map(call.command::reason))
                .toList();
    }

    @Test
    @DisplayName("a batch has the keys of all, what each asks, and once what the limit is")
    void words() {
        List<ScriptCall> commands = batched(calls(3));
        assertThat(commands).hasSize(1);
        OnceCommand batch = commands.get(0).command;
        assertThat(batch.getType()).isEqualTo(CommandType.EVALSHA);
        assertThat(batch.script).isEqualTo("sha");
        assertThat(batch.keys).containsExactly("k0", "k1", "k2");
        assertThat(String.join(",", batch.arguments)).isEqualTo(",3,1,2,,of k0,1,2,,of k1,1,2,,of k2,5,60");
    }

    @Test
    @DisplayName("only calls of one script and one limit go as one, each of those in order; who is alone goes as ever")
    void alike() {
        ScriptCall other = call("d", "7");
        List<ScriptCall> commands = batched(List.of(
                call("a", "5"),
                call(CommandType.EVAL, "text", "b", "5"),
                call("c", "5"),
                other,
                call(CommandType.EVAL, "text", "e", "5"),
                call("f", "5")));
        assertThat(commands.stream().map(BatchTest::keys))
                .containsExactly(List.of("a", "c", "f"), List.of("b", "e"), List.of("d"));
        assertThat(commands.get(2)).isSameAs(other);
    }

    @Test
    @DisplayName("no batch has more than so many")
    void most() {
        assertThat(batched(calls(2 * MOST + 1)).stream()
                        .map(command -> keys(command).size()))
                .containsExactly(MOST, MOST, 1);
    }

    @Test
    @DisplayName("each hears its own answer, also where that is a failure")
    void answers() {
        List<ScriptCall> calls = calls(3);
        batched(calls).get(0).complete("1 2\n-WRONGTYPE of b\n3 4");
        assertThat(calls.get(0)).isCompletedWithValue("1 2");
        assertThat(calls.get(2)).isCompletedWithValue("3 4");
        assertThat(failures(calls.subList(1, 2)))
                .singleElement()
                .isInstanceOf(RedisCommandExecutionException.class)
                .hasToString("io.lettuce.core.RedisCommandExecutionException: WRONGTYPE of b");
        assertThat(apart).isEmpty();
    }

    @Test
    @DisplayName("an answer that is not one for each is an answer for nobody")
    void unreadable() {
        for (String reply : List.of("1 2", "1 2\n3 4\n", "")) {
            List<ScriptCall> calls = calls(2);
            batched(calls).get(0).complete(reply);
            assertThat(failures(calls)).hasOnlyElementsOfType(IllegalStateException.class);
        }
    }

    /** What the server answers to a command of which it does nothing. */
    private static void refuse(ScriptCall command, String message) {
        command.getOutput().setError(StandardCharsets.US_ASCII.encode(message));
        command.complete();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "NOSCRIPT No matching script. Please use EVAL.",
                "LOADING Redis is loading the dataset in memory",
                "READONLY You can't write against a read only replica."
            })
    @DisplayName("a call of a batch that fails for another reason is told as if it had been alone")
    void failed(String message) {
        List<ScriptCall> calls = calls(3);
        refuse(batched(calls).get(0), message);
        assertThat(failures(calls))
                .hasSize(3)
                .allMatch(RedisCommandExecutionException.class::isInstance)
                .allMatch(failure -> message.equals(failure.getMessage()));
        assertThat(apart).isEmpty();
    }

    static List<Throwable> byWhichItMayHaveBeenDone() {
        return List.of(
                new RedisException("Connection reset by peer"),
                new RedisCommandExecutionException("the connection was lost before the answer came"));
    }

    @ParameterizedTest
    @MethodSource("byWhichItMayHaveBeenDone")
    @DisplayName("a batch that may have been executed is not sent again")
    void lost(Throwable failure) {
        List<ScriptCall> calls = calls(3);
        batched(calls).get(0).completeExceptionally(failure);
        assertThat(failures(calls)).hasSize(3).containsOnly(failure);
        assertThat(apart).isEmpty();
    }

    static List<Throwable> unreachable() {
        RedisException unreachable = new RedisConnectionException("Unable to connect to 127.0.0.1:6379");
        return List.of(unreachable, new CompletionException(unreachable));
    }

    @ParameterizedTest
    @MethodSource("unreachable")
    @DisplayName("a batch that was sent may have been executed, though the client cannot send it again")
    void sentBefore(Throwable failure) {
        List<ScriptCall> calls = calls(3);
        ScriptCall batch = batched(calls).get(0);
        batch.encode(Unpooled.buffer());
        batch.completeExceptionally(failure);
        assertThat(failuresTold(calls)).hasSize(3).noneMatch(Symptoms::hasDoneNothing);
    }

    @ParameterizedTest
    @MethodSource("unreachable")
    @DisplayName("a batch that could not be sent has not been executed")
    void neverSent(Throwable failure) {
        List<ScriptCall> calls = calls(3);
        batched(calls).get(0).completeExceptionally(failure);
        assertThat(failuresTold(calls)).hasSize(3).allMatch(Symptoms::hasDoneNothing);
    }

    @Test
    @DisplayName("a batch that a server refuses is sent as single calls")
    void refused() {
        List<ScriptCall> calls = calls(3);
        refuse(batched(calls).get(0), "CROSSSLOT Keys in request don't hash to the same slot");
        assertThat(apart).isEqualTo(calls);
        assertThat(calls).noneMatch(ScriptCall::isDone);
    }

    @Test
    @DisplayName("a call that cannot be sent alone after its batch was refused is told so")
    void neitherWay() {
        List<ScriptCall> calls = calls(2);
        IllegalStateException closed = new IllegalStateException("closed");
        List<ScriptCall> commands = Batch.of(calls, MOST, refused -> {
            throw closed;
        });
        refuse(commands.get(0), "NOPERM this user has no permissions");
        assertThat(failures(calls)).hasSize(2).containsOnly(closed);
    }
}
