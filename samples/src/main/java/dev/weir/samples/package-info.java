/** Runnable samples: each has a {@code main} method here and, if it consists of several files, a package of its own. */
@NullMarked
package dev.weir.samples;

import org.jspecify.annotations.NullMarked;
