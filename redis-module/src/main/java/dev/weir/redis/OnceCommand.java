package dev.weir.redis;

import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A command that a server sees once. When a connection is lost the client sends what was unanswered again over the next; but the server
 * may have done it, and what is given back twice lets others take what is not there. So instead it then sends a command that does
 * nothing, and has failed.
 *
 * <p>What a server has answered with an error it has not done: that may go to another, as where a slot has moved.
 */
final class OnceCommand extends Command<String, String, String> {

    private static final byte[] NOTHING = "*1\r\n$4\r\nPING\r\n".getBytes(StandardCharsets.US_ASCII);

    /** Whether a server may have done it. */
    private volatile boolean sent;

    private volatile boolean again;

    OnceCommand(CommandType how, RedisCodec<String, String> codec, CommandArgs<String, String> arguments) {
        super(how, null, arguments);
        setOutput(new Reply(codec));
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
            super.setError(error);
        }
    }
}
