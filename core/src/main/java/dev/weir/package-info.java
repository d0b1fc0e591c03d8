/**
 * Rate limiters that never block a thread: the face ({@link dev.weir.RateLimiter}) and, package-private beside it, the
 * one engine behind every way of waiting.
 */
@NullMarked
package dev.weir;

import org.jspecify.annotations.NullMarked;
