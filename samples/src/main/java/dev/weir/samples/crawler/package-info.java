/** A web crawler that keeps to a rate, and the small website that it crawls. */
@NullMarked
package dev.weir.samples.crawler;

import org.jspecify.annotations.NullMarked;
