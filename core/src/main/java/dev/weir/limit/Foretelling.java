package dev.weir.limit;

/**
 * A policy that can predict its decisions without taking anything: if {@link #nanosUntil(long, int, long)} returns zero, the
 * permits ahead can be taken before the request and it still gets its own at that time, in whatever order they are taken, unless
 * something is charged in the meantime.
 */
interface Foretelling extends PermitPolicy {

    @Override
    default boolean takesForAMoment() {
        return false;
    }
}
