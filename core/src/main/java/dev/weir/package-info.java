/**
 * Rate limiters that never block a thread. {@link dev.weir.RateLimiter} is the public API; the engine behind all ways of waiting
 * is package-private beside it.
 */
@NullMarked
package dev.weir;

import org.jspecify.annotations.NullMarked;
