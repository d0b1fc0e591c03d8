/** What many cost: many keys, and many streams on one limiter. */
@NullMarked
package dev.weir.benchmarks.crowd;

import org.jspecify.annotations.NullMarked;
