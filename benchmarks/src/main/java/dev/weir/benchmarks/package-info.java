/** What a decision, an element, a waiter and a key cost, beside the peers and the floor. */
@NullMarked
package dev.weir.benchmarks;

import org.jspecify.annotations.NullMarked;
