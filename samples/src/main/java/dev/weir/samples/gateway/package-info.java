/** A WebFlux application that applies limits to its requests, and shows them live. */
@NullMarked
package dev.weir.samples.gateway;

import org.jspecify.annotations.NullMarked;
