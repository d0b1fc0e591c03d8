package dev.weir.redis;

import dev.weir.time.TimeSource;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.protocol.CommandType;
import org.jspecify.annotations.Nullable;

/**
 * Runs scripts through Lettuce: by digest ({@code EVALSHA}), and by text ({@code EVAL}) if a server does not know the digest. That
 * may happen at any time and on any node, as servers forget scripts when they restart, fail over, or have too many.
 */
final class LettuceCommands implements Commands {

    private final Pipeline.Wire wire;
    private final Pipeline pipeline;

    LettuceCommands(Pipeline.Wire wire) {
        this.wire = wire;
        this.pipeline = new Pipeline(wire, TimeSource.system());
    }

    @Override
    public void run(Script script, String[] keys, String[] arguments, Listener listener) {
        OnceCommand named = new OnceCommand(CommandType.EVALSHA, script.sha(), keys, arguments);
        pipeline.send(named, (reply, failure) -> {
            if (failure instanceof RedisNoScriptException) {
                runText(script, keys, arguments, listener);
            } else {
                tell(named, listener, reply, failure);
            }
        });
    }

    @Override
    public String serverOf(String key) {
        return wire.serverOf(key);
    }

    @Override
    public void hurry() {
        pipeline.hurry();
    }

    /** The call by digest has executed nothing, so nothing is executed twice. Who called has left: so what is thrown is told. */
    private void runText(Script script, String[] keys, String[] arguments, Listener listener) {
        try {
            OnceCommand whole = new OnceCommand(CommandType.EVAL, script.text(), keys, arguments);
            pipeline.send(whole, (reply, failure) -> tell(whole, listener, reply, failure));
        } catch (Throwable refused) {
            listener.failed(refused);
        }
    }

    private static void tell(OnceCommand call, Listener listener, String reply, @Nullable Throwable failure) {
        if (failure == null) {
            listener.replied(reply);
        } else {
            listener.failed(call.reason(failure));
        }
    }
}
