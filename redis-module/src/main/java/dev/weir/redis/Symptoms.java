package dev.weir.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import java.util.regex.Pattern;

/** What a failure tells of the question that has failed. */
final class Symptoms {

    /** Older servers wrap what a command has answered to a script: "ERR Error running script (...): @user_script:40: -READONLY ...". */
    private static final Pattern SERVES_NOBODY =
            Pattern.compile("(^|-)(LOADING|BUSY|READONLY|MASTERDOWN|MISCONF|NOREPLICAS|OOM)\\b");

    private static final Pattern UNSENT = Pattern.compile("Commands are |^Unable to connect");

    private Symptoms() {}

    /**
     * Tells whether it is certain that the store has heard nothing. A client that takes no commands, or finds no way to a node, says so
     * in words only.
     */
    static boolean isUnsent(Throwable cause) {
        return cause instanceof TooManyCallsException
                || cause instanceof NotConnectedException
                || (cause instanceof RedisException
                        && UNSENT.matcher(message(cause)).find());
    }

    /** Tells whether the store has answered with an error that is about one key or one command, and not that it serves nobody. */
    static boolean isOfOneKey(Throwable cause) {
        return cause instanceof RedisCommandExecutionException
                && !SERVES_NOBODY.matcher(message(cause)).find();
    }

    private static String message(Throwable cause) {
        return String.valueOf(cause.getMessage());
    }
}
