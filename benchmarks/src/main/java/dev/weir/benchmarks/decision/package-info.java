/** What one decision costs, granted and refused, beside the peers and the floor. */
@NullMarked
package dev.weir.benchmarks.decision;

import org.jspecify.annotations.NullMarked;
