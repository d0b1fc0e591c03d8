package dev.weir.spring;

/** Thrown if a property of a limit is invalid; names the property and the problem. */
public final class InvalidLimitException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** The name of the property. */
    private final String property;

    /**
     * Creates an exception.
     *
     * @param property the name of the property
     * @param problem what is wrong with it, worded to follow the name in the message
     */
    public InvalidLimitException(String property, String problem) {
        super("Property '" + property + "' " + problem);
        this.property = property;
    }

    /**
     * Returns the name of the property.
     *
     * @return the name
     */
    public String property() {
        return property;
    }
}
