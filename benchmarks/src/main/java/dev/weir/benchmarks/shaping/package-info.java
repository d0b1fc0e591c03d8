/** How well a stream keeps its limit, and how close to it, in real time. */
@NullMarked
package dev.weir.benchmarks.shaping;

import org.jspecify.annotations.NullMarked;
