package dev.weir;

import dev.weir.time.TimeSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A limiter of ours as a {@link Chain} sees it: what can be known of it without asking it for permits, so that nobody hears of it. */
interface Member {

    TimeSource time();

    void checkOpen();

    /** Answers as {@link dev.weir.limit.PermitPolicy#nanosUntil(long, int, long)}, for when no pause is on any more. */
    long nanosUntil(long ahead, int permits, long nowNanos);

    /**
     * Takes permits for what was asked of a chain that gets those of the other members at the same time, or answers null, and
     * nobody hears of it. It makes way for those who wait here and asked before. Calls no user code but the policy's.
     */
    @Nullable
    Lease takeForChain(Asked asked);

    /** Adds those that its permits come from at present, as far as there are any, one for each permit. */
    void addEngines(List<PermitEngine> engines);

    /** Has those who wait looked after, as permits may be there for them. */
    void signal();
}
