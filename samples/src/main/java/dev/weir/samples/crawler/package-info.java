/** A rate-limited web crawler, and the small website that it crawls. */
@NullMarked
package dev.weir.samples.crawler;

import org.jspecify.annotations.NullMarked;
