/**
 * Rate limiters that never block a thread. Begin with {@link dev.weir.RateLimiter}. {@link dev.weir.PartitionedRateLimiter} has
 * one for each key; {@link dev.weir.RateGate} is for code that may block. The engine behind all ways of waiting is
 * package-private beside them.
 */
@NullMarked
package dev.weir;

import org.jspecify.annotations.NullMarked;

/*
 * Glossary of the package-private vocabulary.
 *
 *   One limiter (one object in four layers, as there may be a million)
 *   Retirable, PermitAccount   what may be retired while unused; policy, terms, counts, and what comes back
 *   DrainOnDemand              its drain, while it needs one
 *   PermitEngine               public methods and the fast path
 *   BuiltInLimiter             what all limiters here have in common
 *   Settings, Terms            what a builder collects; that and a limit: immutable, shared, replaced as a whole
 *   PermitLease, Origin        an answer of an engine; who decided it, and after which failure
 *   Tally                      counts for many threads; until its numbers are large, an account has TwoCounts
 *   Pause                      until when nothing is granted
 *
 *   Waiting requests
 *   PermitDrain, SerialDrain   serves them in passes; lets one thread at a time in
 *   PermitSource               where a drain gets its permits: an engine, or the members of a chain
 *   Waiter, WaiterStack        one request; requests on their way into the drain, or out of it
 *   WaitingRoom                all that wait, in a WaitQueue (for permits), as probes (for zero), and by Deadlines
 *   Ahead                      what a request waits behind
 *   WaiterList                 waiters linked through themselves
 *   Admission                  decides about a request that comes
 *   Verdicts, Refusals         grants or refuses one request; refuses many
 *   Unsettled                  counts requests that wait or are on their way
 *   HeadAlarm, SpareAlarm      the timer for whoever is due first; one for a drain whose signals nobody heard, or whose pass failed
 *   Lateness, ClockWatch       how late a timer fires; waits out the last microseconds
 *   Answers, Delivery          what a drain decided; the thread delivers it, in order, after the drain has been left
 *   LeaseFuture, BoundedRequest, SettledRequest    requests other than waiters
 *
 *   Chains
 *   Chain, Members             several limiters as one; these, and operations on all of them
 *   Member, ForeignMember      what a chain asks of a limiter; one that is not of this library
 *   ChainQueue, Acquisition    a chain's drain and its source of permits; gets them from all members for one request
 *   ChainRequest               a request to a chain, with its age
 *   MemberRequest              what a chain asks of one member for it
 *   ChainLease, RefusedLease   a chain's answers; the latter also for a limiter that failed
 *   JointLimit                 the limits of all members as one
 *
 *   Keys
 *   PartitionTable             the engines of all keys
 *   KeyLimiter                 the limiter of a key, whichever engine it has
 *   IdleSweep                  forgets keys that are like new
 *
 *   Callers
 *   RateGate, PacedExecutor    for threads that may block; starts tasks of an executor
 */
