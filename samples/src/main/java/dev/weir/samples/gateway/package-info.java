/** A WebFlux application that holds its requests against limits, and shows them live. */
@NullMarked
package dev.weir.samples.gateway;

import org.jspecify.annotations.NullMarked;
