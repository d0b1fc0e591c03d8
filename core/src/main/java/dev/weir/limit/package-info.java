/**
 * Limits as data and their arithmetic: immutable {@link dev.weir.limit.Limit} records, and one
 * {@link dev.weir.limit.PermitPolicy} for each, in integers and with time as an argument.
 */
@NullMarked
package dev.weir.limit;

import org.jspecify.annotations.NullMarked;
