package dev.weir.samples.crawler;

/** Thrown for an invalid command line, with a message of one line. */
final class BadArgumentException extends Exception {

    private static final long serialVersionUID = 1L;

    BadArgumentException(String message) {
        super(message);
    }
}
