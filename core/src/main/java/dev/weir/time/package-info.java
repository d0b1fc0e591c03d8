/** A clock and its timer as one object, {@link dev.weir.time.TimeSource}. */
@NullMarked
package dev.weir.time;

import org.jspecify.annotations.NullMarked;
