/** Rate limits shared by a fleet of machines, kept in Redis or Valkey through Lettuce. */
module dev.weir.redis {
    requires transitive dev.weir;
    requires io.netty.buffer;
    requires transitive lettuce.core;
    requires static transitive org.jspecify;

    exports dev.weir.redis;
}
