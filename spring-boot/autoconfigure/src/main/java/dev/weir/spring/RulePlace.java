package dev.weir.spring;

/** Where among the filters of an application a rule works: before a request is authenticated, or after that. */
enum RulePlace {

    /** Before Spring Security, which has -100. */
    EARLY(-200),

    /** After Spring Security. */
    LATE(-50);

    /** The order of the filter, lower is earlier. */
    final int order;

    RulePlace(int order) {
        this.order = order;
    }
}
