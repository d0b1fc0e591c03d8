/** Traffic that is offered to limits, and the count of what they admit. */
@NullMarked
package dev.weir.samples.driver;

import org.jspecify.annotations.NullMarked;
