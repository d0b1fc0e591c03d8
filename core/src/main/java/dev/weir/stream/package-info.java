/** What a stream does around its limiter: read ahead, buffer, order, refuse, drop. Shared by all operator modules. */
@NullMarked
package dev.weir.stream;

import org.jspecify.annotations.NullMarked;
