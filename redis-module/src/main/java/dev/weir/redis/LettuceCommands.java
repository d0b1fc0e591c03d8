package dev.weir.redis;

import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.async.BaseRedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * Runs scripts through Lettuce: by their names, and with their text where a server does not know the name, which may happen at any
 * time and on any node, as servers forget scripts when they restart, fail over, or have too many.
 */
final class LettuceCommands implements Commands {

    private static final StringCodec UTF8 = StringCodec.UTF8;

    private final BaseRedisAsyncCommands<String, String> commands;

    LettuceCommands(BaseRedisAsyncCommands<String, String> commands) {
        this.commands = commands;
    }

    @Override
    public void run(Script script, String[] keys, String[] arguments, Listener listener) {
        CommandArgs<String, String> named = arguments(new CommandArgs<>(UTF8).add(script.sha()), keys, arguments);
        dispatch(CommandType.EVALSHA, named).whenComplete((answer, failure) -> {
            if (failure == null) {
                listener.replied(answer);
            } else if (unwrapped(failure) instanceof RedisNoScriptException) {
                runText(script, keys, arguments, listener);
            } else {
                listener.failed(unwrapped(failure));
            }
        });
    }

    /** Nothing has been done under the name, so nothing is done twice. */
    private void runText(Script script, String[] keys, String[] arguments, Listener listener) {
        CommandArgs<String, String> whole = arguments(new CommandArgs<>(UTF8).addValue(script.text()), keys, arguments);
        CompletionStage<List<Object>> reply;
        try {
            reply = dispatch(CommandType.EVAL, whole);
        } catch (RuntimeException refused) {
            listener.failed(refused);
            return;
        }
        reply.whenComplete((answer, failure) -> {
            if (failure == null) {
                listener.replied(answer);
            } else {
                listener.failed(unwrapped(failure));
            }
        });
    }

    /** What scripts are told is plain ASCII and goes out as it is; a codec would take a buffer for each of some twenty words. */
    private static CommandArgs<String, String> arguments(
            CommandArgs<String, String> begun, String[] keys, String[] arguments) {
        begun.add(keys.length).addKeys(keys);
        for (String argument : arguments) {
            begun.add(argument);
        }
        return begun;
    }

    private CompletionStage<List<Object>> dispatch(CommandType how, CommandArgs<String, String> arguments) {
        return commands.dispatch(how, new NestedMultiOutput<>(UTF8), arguments);
    }

    private static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause == null ? failure : cause;
    }
}
