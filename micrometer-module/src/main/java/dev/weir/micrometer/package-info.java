/** Meters for rate limiters: what is there, who waits and for how long, and what was refused. */
@NullMarked
package dev.weir.micrometer;

import org.jspecify.annotations.NullMarked;
