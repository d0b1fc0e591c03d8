/**
 * What the operators of all frameworks share: the state machine that delivers the elements of a stream as permits are granted
 * ({@link dev.weir.gate.ElementGate}), and the one that begins whole calls ({@link dev.weir.gate.CallGate}). An executor that belongs
 * to one stream is a {@link dev.weir.gate.StreamWorker}: the gates release it when the stream is over, as they never do any other
 * executor. Depends on no framework, and is exported to the operator modules only.
 */
@NullMarked
package dev.weir.gate;

import org.jspecify.annotations.NullMarked;

/*
 * Glossary of the package-private vocabulary.
 *
 *   One stream
 *   GatePlan                  how the elements of one operator are gated
 *   LimiterPlan               if the limiters are given: a OneLimiterPlan or a PerKeyPlan
 *   OwnLimiterPlan            if each stream has one to itself
 *   ElementGate, GatedStream  what the source and downstream signal to; the stream around it: its subscriber, subscription and hooks
 *   StreamDrain               what those signals enter, one thread at a time
 *   WorkInProgress            counts what has been signalled, and so lets one thread in
 *   Demand                    what downstream has requested and not received
 *   Intake                    requests elements from the source: how many, and when
 *   StreamSource              the source: open, ended, or cut off
 *   Losses                    elements that are not delivered
 *   StreamFailure             the error with which the stream is to fail before any further element
 *   Termination               ends the stream: withdraws, drops, notifies downstream; whether it has
 *
 *   Elements and their permits
 *   Turnstile                 serves one lane at a time: requests permits, and lets go what is granted or refused
 *   Outlet                    where elements leave, downstream or lost; takes permits without a request
 *   Turns                     fairness among the streams that share a limiter
 *   DeferredPermits           takes the permits of a limiter of the stream's own, after their elements have gone
 *   LaneRequest, OpenRequests a request for permits on behalf of a lane; all that a stream has made
 *   Lane, Lanes               a queue of elements for one limiter; all that a stream holds
 *   FifoLane, FifoLanes       in order of arrival, the only one
 *   HeldLane, HeldLanes       one for each key, or newest first, or with eviction; an Arrival is an element in it,
 *                             an Inbox holds those that have none yet; Rounds tell which lane goes
 *   PulledLane, PulledLanes   of a fused source, at most one element, taken from its PulledSource
 *
 *   One call
 *   CallPlan, OneForAll       how the calls of one operator are gated; their limiter, if only its limit is given
 *   CallGate, GatedCall       what the source and downstream signal to; the call: its source, subscriber and hooks
 *   CallPermits               asks for the permits, begins the call once they are granted, returns them when it is over
 *   Proceeding                the begin of a call, or its refusal, and what is left to the thread that is at it
 *   LeasedCall, NoLease       a call that gets its lease; the lease of one that has none
 *   LateUpstream              the upstream of a call, the demand until it is there, and whether all is over
 *
 *   Both
 *   StreamHooks               what a framework does with elements and errors that are not delivered
 *   StreamThreads             the clock and the threads that a framework has for them
 *   StreamWorker              the executor of one stream, if that is its own
 *   HookedTask                a task of it, as the hook for scheduled tasks would have it
 *   Refusal, Rejection        why the limiter refused; what an executor threw that runs no more tasks
 *   Hook                      a framework's hook, whatever it throws
 */
