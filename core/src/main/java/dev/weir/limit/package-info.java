/**
 * Limits as immutable {@link dev.weir.limit.Limit} records, and for each of them a {@link dev.weir.limit.PermitPolicy} that
 * enforces it in integer arithmetic, with time as an argument.
 */
@NullMarked
package dev.weir.limit;

import org.jspecify.annotations.NullMarked;

/*
 * Glossary of the package-private vocabulary.
 *
 *   Limit                                policy                    its parameters    what counts, as a value
 *   TokenBucket, LeakyBucket             GcraPolicy                Pace              LeastMissing
 *   FixedWindow, SlidingWindowCounter,
 *   TokenBucket that refills in steps    WindowPolicy              WindowRules
 *   SlidingWindow                        SlidingWindowPolicy       Lengths           SegmentLog
 *   SlidingWindowLog                     SlidingWindowLogPolicy                      GrantLog
 *   Concurrency                          ConcurrencyPolicy
 *   CountingCalls, AllOf                 CountingCallsPolicy, AllOfPolicy: ask other policies
 *   Unlimited                            UnlimitedPolicy
 *
 *   What policies have in common
 *   Foretelling     tells waits by reading only
 *   Refilled        permits come back with time up to a maximum, so late give-backs may have overflowed
 *   Derived         a cache of parameters, shared by equal limits
 *   Arguments       checks what limits are made of
 *   Kind            which limits a policy can be reconfigured between
 *   StoresBehind    the part of AllOfPolicy that concerns members with a remote store
 *
 *   The exact log
 *   GrantRing, RingSlot     the times of the latest grants, one compare-and-set for a take; how a time is encoded
 *   RingCursor, Sightings   where to begin to look for the head of a ring: its own hint; one table for contended rings
 *   Offsets                 operations on the times of a log
 *   Forgotten               what is known of grants whose times have been overwritten
 *   Earlier                 what a ring keeps for its successor
 */
