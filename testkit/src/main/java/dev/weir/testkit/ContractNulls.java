package dev.weir.testkit;

/** Provides null arguments for tests of what callers must not pass. */
final class ContractNulls {

    private ContractNulls() {}

    /** Returns null as any type, hidden from static analysis. */
    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
    static <T> T missing() {
        return null;
    }
}
