/**
 * Limits as immutable {@link dev.weir.limit.Limit} records, and for each of them a {@link dev.weir.limit.PermitPolicy} that
 * enforces it in integer arithmetic, with time as an argument.
 */
@NullMarked
package dev.weir.limit;

import org.jspecify.annotations.NullMarked;
