/**
 * What the operators of all frameworks share: the state machine that delivers the elements of a stream as permits are granted
 * ({@link dev.weir.gate.ElementGate}), and the one that begins whole calls ({@link dev.weir.gate.CallGate}). Depends on no
 * framework, and is exported to the operator modules only.
 */
@NullMarked
package dev.weir.gate;

import org.jspecify.annotations.NullMarked;
