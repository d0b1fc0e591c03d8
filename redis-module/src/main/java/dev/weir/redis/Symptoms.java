package dev.weir.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.PartitionException;
import java.util.concurrent.CompletionException;
import java.util.regex.Pattern;

/** Classifies failures: whether the question was sent, and whether it failed for one key only. */
final class Symptoms {

    /** Older servers wrap errors of commands in scripts: "ERR Error running script (...): @user_script:40: -READONLY ...". */
    private static final Pattern SERVES_NOBODY =
            Pattern.compile("(^|-)(LOADING|BUSY|READONLY|MASTERDOWN|MISCONF|NOREPLICAS|OOM)\\b");

    /**
     * A client that takes no commands, or cannot reach a node; a server that looks at the user and the keys before it runs a script. One
     * that names the script has denied one of its commands, perhaps after others.
     */
    private static final Pattern NOT_BEGUN = Pattern.compile(
            "Commands are |^(Unable to connect|CLUSTERDOWN|TRYAGAIN|MOVED|ASK|NOAUTH|NOPERM(?!.* script))\\b");

    /** A key of a foreign type: a script reads all keys before it writes the first. */
    private static final Pattern FOREIGN_KEY = Pattern.compile("(^|[ -])WRONGTYPE\\b");

    private Symptoms() {}

    /** Unwraps a failure: the client reports a cluster node that it cannot reach as the cause of a {@link CompletionException}. */
    static Throwable reason(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    /** Returns whether it is certain that the store has done nothing of what it was asked. Often only the message says so. */
    static boolean hasDoneNothing(Throwable cause) {
        return cause instanceof TooManyCallsException
                || cause instanceof NotConnectedException
                || cause instanceof PartitionException // the client knows no node that keeps the key
                || servesNobody(cause)
                || (cause instanceof RedisException && isBeforeAnyWrite(message(cause)));
    }

    private static boolean isBeforeAnyWrite(String message) {
        return NOT_BEGUN.matcher(message).find() || FOREIGN_KEY.matcher(message).find();
    }

    /** Returns whether the question could not be sent at all: that says nothing about the server. */
    static boolean isOfThisNode(Throwable cause) {
        return cause instanceof TooManyCallsException || cause instanceof IllegalArgumentException;
    }

    /** Returns whether the store has answered with an error that is about one key or one command, and not that it serves nobody. */
    static boolean isOfOneKey(Throwable cause) {
        return cause instanceof RedisCommandExecutionException && !servesNobody(cause);
    }

    /**
     * Returns whether the server has answered that it serves nobody, or writes nothing. Then it has done nothing: it refuses a script
     * before that begins, or at its first write.
     */
    static boolean servesNobody(Throwable cause) {
        return cause instanceof RedisCommandExecutionException
                && SERVES_NOBODY.matcher(message(cause)).find();
    }

    private static String message(Throwable cause) {
        return String.valueOf(cause.getMessage());
    }
}
