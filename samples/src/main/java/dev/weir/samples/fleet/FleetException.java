package dev.weir.samples.fleet;

/** Says in one line why there is no fleet. */
final class FleetException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    FleetException(String message) {
        super(message);
    }
}
