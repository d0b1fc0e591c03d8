/**
 * The permit engine: limits, their arithmetic, and the limiters that make callers wait for permits without blocking a
 * thread. Needs nothing but the JDK.
 */
@SuppressWarnings("module") // the modules that some packages are exported to are compiled after this one
module dev.weir {
    requires static transitive org.jspecify;

    exports dev.weir;
    exports dev.weir.limit;
    exports dev.weir.stream;
    exports dev.weir.time;
    exports dev.weir.gate to
            dev.weir.reactor,
            dev.weir.rxjava;
    exports dev.weir.handle to
            dev.weir.redis;
}
