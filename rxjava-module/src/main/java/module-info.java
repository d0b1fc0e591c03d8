/** Rate limiting transformers for RxJava 3. */
module dev.weir.rxjava {
    // exports dev.weir.rxjava comes with its first type: an empty package cannot be exported.
    requires transitive dev.weir;
    requires transitive io.reactivex.rxjava3;
    requires transitive org.reactivestreams;
    requires static transitive org.jspecify;
}
