/** Runs all measurements, each in a virtual machine of its own, and has them written down. */
@NullMarked
package dev.weir.benchmarks.run;

import org.jspecify.annotations.NullMarked;
