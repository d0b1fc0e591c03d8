package dev.weir;

/**
 * Counts of a limiter's grants and refusals, and its present state. The values are read one after the other, not as one snapshot.
 *
 * @param available permits that could be taken now; negative while in debt
 * @param queuedPermits permits that waiting requests ask for in total, those not yet let into the queue or refused included
 * @param acquired requests granted so far, without those whose lease was {@linkplain Lease#giveBack given back}
 * @param refused requests refused so far; cancelled requests count as neither
 */
public record RateLimiterStatistics(long available, long queuedPermits, long acquired, long refused) {}
