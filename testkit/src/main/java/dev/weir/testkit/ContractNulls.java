package dev.weir.testkit;

/** Where contracts get the nulls from that callers must not pass. */
final class ContractNulls {

    private ContractNulls() {}

    /** A null that static analysis does not see, of whatever type the caller wants. */
    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
    static <T> T missing() {
        return null;
    }
}
