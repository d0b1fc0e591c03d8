package dev.weir;

/**
 * What a limiter has done and is doing. The figures are read one after the other, not as one snapshot.
 *
 * @param available permits that could be taken now; negative while in debt
 * @param queuedPermits permits that waiting requests ask for
 * @param acquired leases granted so far
 * @param refused leases refused so far; what was cancelled counts as neither
 */
public record RateLimiterStatistics(long available, long queuedPermits, long acquired, long refused) {}
