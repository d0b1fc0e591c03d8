/** Micrometer meters for rate limiters: available permits, waiting requests and their waits, and refusals. */
@NullMarked
package dev.weir.micrometer;

import org.jspecify.annotations.NullMarked;
