package dev.weir.limit;

import dev.weir.handle.Handles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A number that any thread changes by compare-and-set until one freezes it: then its sign is set, and no change succeeds any more.
 * Who replaces a frozen object makes the next one from its number, and so from all changes that have succeeded.
 *
 * <pre>
 *   open ---- change (CAS) ----> open
 *     |
 *     +------ freeze (CAS: sign set) ----> frozen
 * </pre>
 */
abstract class Freezable {

    private static final VarHandle WORD =
            Handles.of(() -> MethodHandles.lookup().findVarHandle(Freezable.class, "word", long.class));

    private volatile long word;

    /** Begins open, with a number that is not negative. */
    Freezable(long number) {
        this.word = number;
    }

    /** Returns the number as one to change from: negative if this is frozen. */
    final long word() {
        return word;
    }

    /** Returns the number, whether frozen or not. */
    final long number() {
        return word & Long.MAX_VALUE;
    }

    /** Changes the number, neither of which is negative. Returns false if it has changed or been frozen meanwhile. */
    final boolean change(long from, long to) {
        return WORD.compareAndSet(this, from, to);
    }

    /** Freezes the number, if no other thread has. Returns it: it no longer changes. */
    final long freeze() {
        long seen = word;
        while (seen >= 0 && !WORD.compareAndSet(this, seen, seen | Long.MIN_VALUE)) {
            seen = word;
        }
        return number();
    }
}
