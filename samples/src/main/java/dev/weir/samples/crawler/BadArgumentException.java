package dev.weir.samples.crawler;

/** Says in one line what is wrong with the command line. */
final class BadArgumentException extends Exception {

    private static final long serialVersionUID = 1L;

    BadArgumentException(String message) {
        super(message);
    }
}
