/** Offers traffic to limits and counts what they admit. */
@NullMarked
package dev.weir.samples.driver;

import org.jspecify.annotations.NullMarked;
