/** Virtual time, contracts and assertions for limits and limiters. */
module dev.weir.testkit {
    // exports dev.weir.testkit comes with its first type: an empty package cannot be exported.
    requires transitive dev.weir;
    requires transitive org.assertj.core;
    requires transitive org.junit.jupiter.api;
    requires static transitive org.jspecify;
}
