package dev.weir.limit;

/**
 * A policy that tells what it will do, without taking anything: where {@link #nanosUntil(long, int, long)} answers zero, so
 * many permits can go before the request and it still gets its own at that time, in whatever order they are taken, unless
 * something is charged meanwhile.
 */
interface Foretelling extends PermitPolicy {}
