package dev.weir.redis;

/** Says that a call was not made, as too many are under way. Stackless: it is made wherever there is already too much to do. */
final class TooManyCallsException extends RuntimeException {

    private static final long serialVersionUID = 1;

    TooManyCallsException(int most) {
        super("not asked: " + most + " calls are under way", null, false, false);
    }
}
