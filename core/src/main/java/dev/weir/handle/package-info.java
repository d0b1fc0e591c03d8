/** How all packages look up the handles of their fields. Depends on nothing, and is exported to the project's own modules only. */
@NullMarked
package dev.weir.handle;

import org.jspecify.annotations.NullMarked;
