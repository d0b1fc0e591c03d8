package dev.weir.redis;

import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * Runs scripts through Lettuce: by their names, and with their text where a server does not know the name, which may happen at any
 * time and on any node, as servers forget scripts when they restart, fail over, or have too many.
 */
final class LettuceCommands implements Commands {

    private final RedisScriptingAsyncCommands<String, String> commands;

    LettuceCommands(RedisScriptingAsyncCommands<String, String> commands) {
        this.commands = commands;
    }

    @Override
    public void run(Script script, String[] keys, String[] arguments, Listener listener) {
        CompletionStage<List<Object>> reply = commands.evalsha(script.sha(), ScriptOutputType.MULTI, keys, arguments);
        reply.whenComplete((answer, failure) -> {
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
        CompletionStage<List<Object>> reply;
        try {
            reply = commands.eval(script.text(), ScriptOutputType.MULTI, keys, arguments);
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

    private static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause == null ? failure : cause;
    }
}
