package dev.weir;

import java.util.function.Consumer;

/** Does the same to each of several, though one of them throws: the others are to be looked after all the same. */
final class Every {

    private Every() {}

    /** What the first of them throws is thrown on when all are done. */
    static <T> void one(Iterable<? extends T> all, Consumer<? super T> action) {
        Throwable failure = null;
        for (T each : all) {
            try {
                action.accept(each);
            } catch (RuntimeException | Error thrown) {
                failure = failure == null ? thrown : failure;
            }
        }
        Caught.rethrow(failure);
    }
}
