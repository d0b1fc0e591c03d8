package dev.weir.redis;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Applies an action to each of several elements, even if it throws for one of them; as in {@code dev.weir}, where it is not public. */
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
        rethrow(failure);
    }

    private static void rethrow(@Nullable Throwable failure) {
        if (failure != null) {
            Every.<RuntimeException>raise(failure);
        }
    }

    /** Throws it as it is, even a checked one. */
    @SuppressWarnings("unchecked") // the cast is erased: what is thrown keeps its type
    private static <T extends Throwable> void raise(Throwable failure) throws T {
        throw (T) failure;
    }
}
