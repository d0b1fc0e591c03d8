package dev.weir.samples.fleet;

/** Thrown if the fleet cannot run, with a message of one line. */
final class FleetException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    FleetException(String message) {
        super(message);
    }
}
