/** Options of rate-limited streams: read-ahead, buffer, order, refusal, dropping. Shared by all operator modules. */
@NullMarked
package dev.weir.stream;

import org.jspecify.annotations.NullMarked;
