/** Several JVMs that crawl one site through one limit. */
@NullMarked
package dev.weir.samples.fleet;

import org.jspecify.annotations.NullMarked;
