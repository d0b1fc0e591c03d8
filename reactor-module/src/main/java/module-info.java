/** Rate limiting operators for Reactor's {@code Flux} and {@code Mono}. */
module dev.weir.reactor {
    requires transitive dev.weir;
    requires transitive org.reactivestreams;
    requires transitive reactor.core;
    requires static transitive org.jspecify;

    exports dev.weir.reactor;
}
