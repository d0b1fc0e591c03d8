/** Limits that a fleet of machines shares, kept in Redis or Valkey through Lettuce. */
module dev.weir.redis {
    requires transitive dev.weir;
    requires transitive lettuce.core;
    requires static transitive org.jspecify;

    exports dev.weir.redis;
}
