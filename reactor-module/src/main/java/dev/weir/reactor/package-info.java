/** Rate limiting operators for Reactor. */
@NullMarked
package dev.weir.reactor;

import org.jspecify.annotations.NullMarked;
