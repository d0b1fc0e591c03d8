/** What a request costs that must wait, and what it leaves behind when it gives up. */
@NullMarked
package dev.weir.benchmarks.waiting;

import org.jspecify.annotations.NullMarked;
