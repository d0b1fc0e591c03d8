package dev.weir.handle;

import org.jspecify.annotations.Nullable;

/** Rethrows a throwable that was caught in order to finish other work first. */
public final class Caught {

    private Caught() {}

    /**
     * Throws it, unless it is null: as it is, even a checked one, which other languages than Java let pass undeclared.
     *
     * @param caught what to throw, or null
     */
    public static void rethrow(@Nullable Throwable caught) {
        if (caught != null) {
            Caught.<RuntimeException>raise(caught);
        }
    }

    @SuppressWarnings("unchecked") // the cast is erased: what is thrown keeps its type
    private static <T extends Throwable> void raise(Throwable caught) throws T {
        throw (T) caught;
    }
}
