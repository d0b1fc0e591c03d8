/** Rate limits shared by a fleet of machines, kept in Redis or Valkey. */
@NullMarked
package dev.weir.redis;

import org.jspecify.annotations.NullMarked;

/*
 * Glossary of the package-private vocabulary.
 *
 *   Requests to the store
 *   Store, Question, Answer   the shared state behind an interface; one request to it; its reply
 *   Trip, Trips               one question in flight; the state of a limit on this node and its trips, one at a time
 *   TripSender                sends the question of a trip, unless the store must not be asked
 *   PendingUpdates            what the next question brings to the store: permits given back, usage charged, permits held
 *   Owed                      usage to charge at the store
 *   Undone, Portion           permits to give back at the store; how much of a request that is
 *   Wanted, Sizes             the permits that a question asks for; the sizes of the waiting requests
 *   ZeroPermits               decides requests for no permits, which only ask whether any is available
 *
 *   Permits on this node
 *   Hand, Grant               permits that this node holds ahead, and its bookings; one such grant
 *   due, stale, usable        may be used from now on; expired; due and not stale
 *   booking                   permits that the store has recorded for a waiting request at a time in the future
 *   Slot                      a take as the store has recorded it
 *   Stamps, Eras              translates local take times to the store's recorded times; bounds for those that are forgotten
 *   Knowledge, Denial         the latest answer, and what is known from it without asking; the request that it did not grant
 *   Estimates                 the waits that a limit tells of without asking
 *   RebookingBackoff          back-off for booking anew
 *   WaiterNotifier            notifies waiting requests, by running the drain of their queue
 *
 *   Outages
 *   StoreDecisions            decides with the store
 *   OutageDecisions           decides without it
 *   Server, Servers           what a node keeps of a server; of each, apart for each time source
 *   Circuit                   the circuit breaker of a server
 *   Symptoms                  classification of failures
 *   Outage, Span              the current outage; one that is over, or the time after one
 *   PastOutages               the latest ones that are over
 *   Moments                   when the requests were made that an outage began with
 *   OutageListener, OutageLog hears that the server does not decide; warns of it in the log
 *   Reporter                  what a limit tells the store though nobody asks
 *   ReportQueue, Turn         where limits wait to ask a server that was away; the turn of one of them
 *   Recovery                  the time after an outage in which a node takes no more than its share
 *   Fallback, Unreported      decisions in an outage; the usage to be reported after it
 *   OwnShare, Shares          what this node may take without the others, and what is in use; how large that part of a limit is
 *
 *   Other
 *   FleetPolicy, FleetState   the policy of a shared limit; its state on this node, replaced by compare-and-set
 *   NodeSettings, FleetTerms  timing and other parameters of how a node deals with the store; a limit, and what follows from it
 *   LatestOf                  what follows from the limit used last
 *   LimitPart                 one of the limits that are combined in a limit
 *   Supply                    how fast a limit brings permits at most, part by part
 *   FleetWiring               how the parts of a node are put together, and closed
 *   MadeLimiters              the limiters of a node that are closed with it
 *   Node                      state shared by all limiters of a node
 *   Polls                     when limits ask again for leases that end on other nodes
 *   Ending                    when a limiter was closed, or left
 *   Chores, Chore             deferred maintenance: renewing, giving back, sending updates, waking waiters; one task of it
 *   Member                    one limit as a script sees it
 *   LimitWords, QuestionWords a limit, and a question about it, encoded as script arguments
 *   BucketPace                the cost of a permit of a bucket
 *   RedisStore, Keys          the store as scripts on a server; the names of its keys
 *   Script, ScriptCall        the text of a script; one run of it with keys and arguments
 *   Commands                  how scripts are run: by Lettuce, bounded, or once a connection is there
 *   Pipeline, Wires, Batch    batched sending; the Lettuce connections below it; several calls in one command
 */
