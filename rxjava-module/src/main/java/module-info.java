/** Rate limiting transformers for RxJava 3. */
module dev.weir.rxjava {
    requires transitive dev.weir;
    requires transitive io.reactivex.rxjava3;
    requires transitive org.reactivestreams;
    requires static transitive org.jspecify;

    exports dev.weir.rxjava;
}
