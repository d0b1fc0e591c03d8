/** Virtual time, contracts and assertions for limits and limiters. */
module dev.weir.testkit {
    requires transitive dev.weir;
    requires transitive org.junit.jupiter.api;
    requires static transitive org.jspecify;

    exports dev.weir.testkit;

    opens dev.weir.testkit to
            org.junit.platform.commons; // which instantiates contracts and their subclasses, and calls their tests
}
