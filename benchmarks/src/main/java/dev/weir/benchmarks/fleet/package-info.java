/** What a limit costs that several nodes share through a server. */
@NullMarked
package dev.weir.benchmarks.fleet;

import org.jspecify.annotations.NullMarked;
