/** Micrometer meters for rate limiters. */
module dev.weir.micrometer {
    requires transitive dev.weir;
    requires transitive micrometer.core;
    requires static transitive org.jspecify;

    exports dev.weir.micrometer;
}
