/** Limits that a fleet of machines shares, kept in Redis or Valkey. */
@NullMarked
package dev.weir.redis;

import org.jspecify.annotations.NullMarked;
