/** Runnable samples: each has a {@code main} method here and, where it takes more than one file, a package of its own. */
@NullMarked
package dev.weir.samples;

import org.jspecify.annotations.NullMarked;
