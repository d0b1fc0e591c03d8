package dev.weir.redis;

import dev.weir.time.TimeSource;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs scripts through Lettuce: by their names, and with their text where a server does not know the name, which may happen at any
 * time and on any node, as servers forget scripts when they restart, fail over, or have too many.
 */
final class LettuceCommands implements Commands {

    /** Composed, as by itself it would encode each key into a buffer of the pool, which is watched for leaks, copied and given back. */
    private static final RedisCodec<String, String> TEXT = RedisCodec.of(StringCodec.UTF8, StringCodec.UTF8);

    private final Pipeline pipeline;

    private LettuceCommands(Pipeline pipeline) {
        this.pipeline = pipeline;
    }

    static LettuceCommands over(Pipeline.Wire wire) {
        return new LettuceCommands(new Pipeline(wire, TimeSource.system()));
    }

    @Override
    public void run(Script script, String[] keys, String[] arguments, Listener listener) {
        CommandArgs<String, String> named = arguments(new CommandArgs<>(TEXT).add(script.sha()), keys, arguments);
        send(CommandType.EVALSHA, named, (reply, failure) -> {
            if (failure instanceof RedisNoScriptException) {
                runText(script, keys, arguments, listener);
            } else {
                tell(listener, reply, failure);
            }
        });
    }

    @Override
    public void hurry() {
        pipeline.hurry();
    }

    /** Nothing has been done under the name, so nothing is done twice. */
    private void runText(Script script, String[] keys, String[] arguments, Listener listener) {
        CommandArgs<String, String> whole = arguments(new CommandArgs<>(TEXT).addValue(script.text()), keys, arguments);
        send(CommandType.EVAL, whole, (reply, failure) -> tell(listener, reply, failure));
    }

    private static void tell(Listener listener, String reply, @Nullable Throwable failure) {
        if (failure == null) {
            listener.replied(reply);
        } else {
            listener.failed(failure);
        }
    }

    /** What scripts are told is plain ASCII and goes out as it is, without a codec. */
    private static CommandArgs<String, String> arguments(
            CommandArgs<String, String> begun, String[] keys, String[] arguments) {
        begun.add(keys.length).addKeys(keys);
        for (String argument : arguments) {
            begun.add(argument);
        }
        return begun;
    }

    private void send(
            CommandType how,
            CommandArgs<String, String> arguments,
            BiConsumer<? super String, ? super @Nullable Throwable> whenAnswered) {
        pipeline.send(new OnceCommand(how, TEXT, arguments), whenAnswered);
    }
}
