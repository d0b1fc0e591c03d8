/**
 * What the operators of every framework share: the state machine that lets elements of a stream pass by permit
 * ({@link dev.weir.gate.ElementGate}), and the one that lets whole calls pass ({@link dev.weir.gate.CallGate}). Knows no
 * framework, and is exported to the operator modules only.
 */
@NullMarked
package dev.weir.gate;

import org.jspecify.annotations.NullMarked;
