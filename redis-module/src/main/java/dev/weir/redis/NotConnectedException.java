package dev.weir.redis;

/** Thrown when a call was not made because there is no connection yet. Stackless, as it is created for each call. */
final class NotConnectedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    NotConnectedException(Throwable missing) {
        super("not asked: there is no connection yet", missing, false, false);
    }
}
