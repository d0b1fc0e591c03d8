package dev.weir;

import dev.weir.time.TimeSource;

/** A limiter of ours as a {@link Chain} sees it: what can be known of it without asking it for permits, so that nobody hears of it. */
interface Member {

    TimeSource time();

    void checkOpen();

    /** Answers as {@link dev.weir.limit.PermitPolicy#nanosUntil(long, int, long)}, for when no pause is on any more. */
    long nanosUntil(long ahead, int permits, long nowNanos);

    /** Has those who wait looked after, as permits may be there for them. */
    void signal();
}
