/**
 * How all packages handle what the language leaves to each of them: the handles of their fields, and failures that are thrown once other
 * work is done. Depends on nothing, and is exported to the project's own modules only.
 */
@NullMarked
package dev.weir.handle;

import org.jspecify.annotations.NullMarked;
