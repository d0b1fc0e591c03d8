package dev.weir.limit;

import java.util.function.Consumer;

/** Calls each of several policies, even if one throws: what is given back to one must come back to the others as well. */
final class EachMember {

    private EachMember() {}

    /** Rethrows the first failure when all have been called. */
    static void of(PermitPolicy[] members, Consumer<PermitPolicy> call) {
        Throwable first = null;
        for (PermitPolicy member : members) {
            try {
                call.accept(member);
            } catch (Throwable thrown) {
                first = first == null ? thrown : first;
            }
        }
        if (first != null) {
            EachMember.<RuntimeException>raise(first);
        }
    }

    /** Throws it as it is, even a checked one. */
    @SuppressWarnings("unchecked") // the cast is erased: what is thrown keeps its type
    private static <T extends Throwable> void raise(Throwable caught) throws T {
        throw (T) caught;
    }
}
