/** Rate limiting operators for Reactor's {@code Flux} and {@code Mono}. */
module dev.weir.reactor {
    // exports dev.weir.reactor comes with its first type: an empty package cannot be exported.
    requires transitive dev.weir;
    requires transitive org.reactivestreams;
    requires transitive reactor.core;
    requires static transitive org.jspecify;
}
