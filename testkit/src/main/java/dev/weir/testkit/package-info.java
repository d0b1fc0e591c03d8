/** Virtual time, contracts and assertions for limits and limiters. */
@NullMarked
package dev.weir.testkit;

import org.jspecify.annotations.NullMarked;
