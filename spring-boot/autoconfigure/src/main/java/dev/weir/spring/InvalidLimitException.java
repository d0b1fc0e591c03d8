package dev.weir.spring;

/** Says which property of a limit makes no sense, and why. */
public final class InvalidLimitException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Its name. */
    private final String property;

    /**
     * Makes an exception.
     *
     * @param property the name of the property
     * @param problem what is wrong with it, to be read after its name
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
