package dev.weir.redis;

/** Thrown when a call was not made because too many are in flight. Stackless, as it is created under overload. */
final class TooManyCallsException extends RuntimeException {

    private static final long serialVersionUID = 1;

    TooManyCallsException(int most) {
        super("not asked: " + most + " calls are under way", null, false, false);
    }
}
