package dev.weir;

/** A request that was answered before it was returned. */
final class SettledRequest implements PermitRequest {

    static final PermitRequest INSTANCE = new SettledRequest();

    private SettledRequest() {}

    @Override
    public boolean cancel() {
        return false;
    }

    @Override
    public boolean isSettled() {
        return true;
    }
}
