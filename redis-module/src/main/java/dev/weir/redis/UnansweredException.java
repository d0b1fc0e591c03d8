package dev.weir.redis;

/** Says of a call that was sent, and then could not be sent again, that it may have been executed. Stackless, as it adds only that. */
final class UnansweredException extends RuntimeException {

    private static final long serialVersionUID = 1;

    UnansweredException(Throwable notSentAgain) {
        super("asked, and not answered: the connection was lost", notSentAgain, false, false);
    }
}
