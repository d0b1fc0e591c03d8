package dev.weir;

import java.util.function.Consumer;

/** Applies an action to each of several elements, even if it throws for one of them. */
final class Every {

    private Every() {}

    /** Rethrows the first failure when all are done. */
    static <T> void one(Iterable<? extends T> all, Consumer<? super T> action) {
        Throwable failure = null;
        for (T each : all) {
            try {
                action.accept(each);
            } catch (Throwable thrown) {
                failure = failure == null ? thrown : failure;
            }
        }
        Caught.rethrow(failure);
    }
}
