/**
 * What the operators of all frameworks share: the state machine that delivers the elements of a stream as permits are granted
 * ({@link dev.weir.gate.ElementGate}), and the one that begins whole calls ({@link dev.weir.gate.CallGate}). The upstream of a
 * call, which arrives when the call has begun, is a {@link dev.weir.gate.LateUpstream}. An executor that belongs to one stream is
 * a {@link dev.weir.gate.StreamWorker}: the gates release it when the stream is over, as they never do any other executor. Depends
 * on no framework, and is exported to the operator modules only.
 */
@NullMarked
package dev.weir.gate;

import org.jspecify.annotations.NullMarked;
