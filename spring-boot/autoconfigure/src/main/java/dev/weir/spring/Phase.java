package dev.weir.spring;

/** When a rule works: before a request is authenticated, or after that. */
enum Phase {

    /** Before Spring Security, which has -100. */
    EARLY(-200),

    /** After Spring Security. */
    LATE(-50);

    /** The order of the filter, lower is earlier. */
    final int order;

    Phase(int order) {
        this.order = order;
    }
}
