/**
 * The permit engine: limits, their arithmetic, and the limiters that make callers wait for permits without blocking a
 * thread. Needs nothing but the JDK.
 */
module dev.weir {
    requires static transitive org.jspecify;

    exports dev.weir;
    exports dev.weir.limit;
    exports dev.weir.stream;
    exports dev.weir.time;
}
