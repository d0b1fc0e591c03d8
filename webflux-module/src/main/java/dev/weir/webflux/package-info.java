/** Rate limits for incoming and outgoing HTTP requests of a WebFlux application. */
@NullMarked
package dev.weir.webflux;

import org.jspecify.annotations.NullMarked;
