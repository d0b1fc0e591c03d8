package dev.weir.samples;

/** Thrown if a sample cannot do what it is asked to, with a message of one line that says why. */
public class SampleException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message one line for the user
     */
    public SampleException(String message) {
        super(message);
    }
}
