package dev.weir.redis;

import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * A script call that is sent at most once. When a connection is lost, the client resends unanswered commands over the next; but the
 * server may have executed the call, and permits given back twice would be granted twice. So on a resend this writes a command that
 * does nothing instead, and fails.
 *
 * <p>A call that a server has answered with an error was not executed: it may be sent again, to another node, as when a slot has
 * moved.
 */
final class OnceCommand extends Command<String, String, String> {

    private static final byte[] NOTHING = "*1\r\n$4\r\nPING\r\n".getBytes(StandardCharsets.US_ASCII);

    /** Composed, as the plain codec would encode each key into a pooled buffer that is leak-tracked, copied and released. */
    private static final RedisCodec<String, String> TEXT = RedisCodec.of(StringCodec.UTF8, StringCodec.UTF8);

    /** The script's digest or its text, depending on the command. */
    final String script;

    final String[] keys;
    final String[] arguments;

    /** Whether a server may have executed it: one has been sent this, and has not answered with an error. */
    private volatile boolean sent;

    private volatile boolean again;
    private volatile boolean refused;

    /**
     * Creates a call.
     *
     * @param how {@code EVALSHA} or {@code EVAL}
     * @param script the script's digest or its text, accordingly
     * @param keys the keys
     * @param arguments the arguments
     */
    OnceCommand(ProtocolKeyword how, String script, String[] keys, String[] arguments) {
        super(how, null, inOrder(script, keys, arguments));
        this.script = script;
        this.keys = keys;
        this.arguments = arguments;
        setOutput(new Reply(TEXT));
    }

    /** All but the keys is plain ASCII and written without a codec. */
    private static CommandArgs<String, String> inOrder(String script, String[] keys, String[] arguments) {
        CommandArgs<String, String> inOrder =
                new CommandArgs<>(TEXT).add(script).add(keys.length).addKeys(keys);
        for (String argument : arguments) {
            inOrder.add(argument);
        }
        return inOrder;
    }

    /** Returns the arguments of the question, which come first. */
    List<String> asked() {
        return Arrays.asList(arguments).subList(0, QuestionWords.COUNT);
    }

    /** Returns the arguments of the limit, which are all the rest. */
    List<String> limit() {
        return Arrays.asList(arguments).subList(QuestionWords.COUNT, arguments.length);
    }

    /**
     * Returns the failure to report. Once this has been sent, only an error answered by the server proves that it was not executed;
     * that the client cannot send it again proves nothing. If the failure itself fails to tell its reason, returns why: whoever has asked
     * waits for the end of the call.
     */
    Throwable reason(Throwable failure) {
        try {
            Throwable reason = Symptoms.reason(failure);
            return sent && Symptoms.hasDoneNothing(reason) ? new UnansweredException(reason) : reason;
        } catch (Throwable untold) {
            return untold;
        }
    }

    /** Returns whether the server that was asked last has answered with an error, which means that none has executed this. */
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
            refused = false;
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
                fail();
            } else {
                super.set(reply);
            }
        }

        @Override
        public void setError(ByteBuffer error) {
            if (again) {
                fail(); // an error about the command that does nothing says nothing about the call
            } else {
                sent = false;
                refused = true;
                super.setError(error);
            }
        }

        private void fail() {
            setError("the connection was lost before the answer came");
        }
    }
}
