package dev.weir;

import org.jspecify.annotations.Nullable;

/** What was caught, unchecked, while there was something left to look after. */
final class Caught {

    private Caught() {}

    /** Throws it on, if there is anything. */
    static void rethrow(@Nullable Throwable caught) {
        if (caught instanceof Error error) {
            throw error;
        } else if (caught != null) {
            throw (RuntimeException) caught;
        }
    }
}
