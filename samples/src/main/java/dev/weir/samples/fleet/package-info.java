/** Several JVMs that crawl one site under one shared limit. */
@NullMarked
package dev.weir.samples.fleet;

import org.jspecify.annotations.NullMarked;
