package dev.weir.redis;

import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * A call of a script that a server sees once. When a connection is lost the client sends what was unanswered again over the next; but
 * the server may have done it, and what is given back twice lets others take what is not there. So instead it then sends a command that
 * does nothing, and has failed.
 *
 * <p>What a server has answered with an error it has not done: that may go to another, as where a slot has moved.
 */
final class OnceCommand extends Command<String, String, String> {

    private static final byte[] NOTHING = "*1\r\n$4\r\nPING\r\n".getBytes(StandardCharsets.US_ASCII);

    /** Composed, as by itself it would encode each key into a buffer of the pool, which is watched for leaks, copied and given back. */
    private static final RedisCodec<String, String> TEXT = RedisCodec.of(StringCodec.UTF8, StringCodec.UTF8);

    /** By its name or as a text, as the command says. */
    final String script;

    final String[] keys;
    final String[] arguments;

    /** Whether a server may have done it. */
    private volatile boolean sent;

    private volatile boolean again;
    private volatile boolean refused;

    /**
     * Makes a call.
     *
     * @param how by {@code EVALSHA} or {@code EVAL}
     * @param script its name or its text, accordingly
     * @param keys on which keys
     * @param arguments with what
     */
    OnceCommand(CommandType how, String script, String[] keys, String[] arguments) {
        super(how, null, inOrder(script, keys, arguments));
        this.script = script;
        this.keys = keys;
        this.arguments = arguments;
        setOutput(new Reply(TEXT));
    }

    /** All but keys is plain ASCII and goes out as it is, without a codec. */
    private static CommandArgs<String, String> inOrder(String script, String[] keys, String[] arguments) {
        CommandArgs<String, String> inOrder =
                new CommandArgs<>(TEXT).add(script).add(keys.length).addKeys(keys);
        for (String argument : arguments) {
            inOrder.add(argument);
        }
        return inOrder;
    }

    /** What is asked, which is where all arguments begin. */
    List<String> asked() {
        return Arrays.asList(arguments).subList(0, LimitWords.ASKED);
    }

    /** What the limit is, which is all the rest. */
    List<String> limit() {
        return Arrays.asList(arguments).subList(LimitWords.ASKED, arguments.length);
    }

    /** Tells whether a server has answered with an error, which means that it has not been done. */
    boolean isRefused() {
        return refused;
    }

    @Override
    public void encode(ByteBuf target) {
        if (sent) {
            again = true;
            target.writeBytes(NOTHING);
        } else {
            sent = true;
            super.encode(target);
        }
    }

    private final class Reply extends ValueOutput<String, String> {

        Reply(RedisCodec<String, String> codec) {
            super(codec);
        }

        @Override
        public void set(ByteBuffer reply) {
            if (again) {
                setError("the connection was lost before the answer came");
            } else {
                super.set(reply);
            }
        }

        @Override
        public void setError(ByteBuffer error) {
            sent = false;
            refused = true;
            super.setError(error);
        }
    }
}
