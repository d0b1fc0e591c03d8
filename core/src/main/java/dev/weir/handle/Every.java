package dev.weir.handle;

import java.util.function.Consumer;

/** Applies an action to each of several elements, even if it throws for one of them. */
public final class Every {

    private Every() {}

    /**
     * Applies an action to all, and then rethrows the first failure, if there was any.
     *
     * @param <T> the type of the elements
     * @param all the elements
     * @param action what to apply to each
     */
    public static <T> void one(Iterable<? extends T> all, Consumer<? super T> action) {
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
