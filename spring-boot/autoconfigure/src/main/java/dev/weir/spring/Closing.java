package dev.weir.spring;

import java.util.stream.Stream;

/** Closes several things, even if one of them fails to close. */
final class Closing {

    private Closing() {}

    /**
     * Closes each, in order. Throws the first failure in the end, to which the others are added: a stream does so with its handlers.
     *
     * @param all the {@code close} of each
     */
    static void each(Stream<Runnable> all) {
        Stream<?> closing = Stream.empty();
        for (Runnable close : all.toList()) {
            closing = closing.onClose(close);
        }
        closing.close();
    }
}
