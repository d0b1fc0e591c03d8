package dev.weir.redis;

import io.lettuce.core.RedisException;

/** What a failure tells of the question that has failed. */
final class Symptoms {

    private Symptoms() {}

    /** Tells whether it is certain that the store has heard nothing: a client that takes no commands says so in words only. */
    static boolean isUnsent(Throwable cause) {
        return cause instanceof TooManyCallsException
                || (cause instanceof RedisException && message(cause).contains("Commands are "));
    }

    private static String message(Throwable cause) {
        return String.valueOf(cause.getMessage());
    }
}
