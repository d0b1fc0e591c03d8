package dev.weir.spring;

/** Thrown if a property of a limit is invalid; names the property and the problem. */
public final class InvalidLimitException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** The name of the property. */
    private final String property;

    /** What to do about it. */
    private final String remedy;

    /**
     * Creates an exception.
     *
     * @param property the name of the property
     * @param problem what is wrong with it, worded to follow the name in the message
     */
    public InvalidLimitException(String property, String problem) {
        this(property, problem, "Change '" + property + "' in the configuration.");
    }

    /** Creates an exception for a problem that has another remedy than to change the property, in a sentence. */
    InvalidLimitException(String property, String problem, String remedy) {
        super("Property '" + property + "' " + problem);
        this.property = property;
        this.remedy = remedy;
    }

    /**
     * Returns the name of the property.
     *
     * @return the name
     */
    public String property() {
        return property;
    }

    String remedy() {
        return remedy;
    }
}
