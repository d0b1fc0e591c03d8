package dev.weir;

import org.jspecify.annotations.Nullable;

/** Rethrows an unchecked throwable that was caught in order to finish other work first. */
final class Caught {

    private Caught() {}

    /** Throws it, unless it is null. */
    static void rethrow(@Nullable Throwable caught) {
        if (caught instanceof Error error) {
            throw error;
        } else if (caught != null) {
            throw (RuntimeException) caught;
        }
    }
}
