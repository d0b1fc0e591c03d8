/** Rate limits where HTTP enters and leaves a WebFlux application. */
@NullMarked
package dev.weir.webflux;

import org.jspecify.annotations.NullMarked;
