package dev.weir.redis;

/** Says that a call was not made, as there has been no connection yet. Stackless: it is made for each. */
final class NotConnectedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    NotConnectedException(Throwable missing) {
        super("not asked: there is no connection yet", missing, false, false);
    }
}
