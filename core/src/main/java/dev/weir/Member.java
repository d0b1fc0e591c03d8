package dev.weir;

import dev.weir.time.TimeSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A limiter as a {@link Chain} sees it. One of this library lets the chain read its state, without requests that observers would
 * see, and keeps the age of a request; of any other only the face is known ({@link ForeignMember}).
 */
interface Member {

    /** Returns the member that a limiter is, or makes one of it. */
    static Member of(RateLimiter limiter) {
        return limiter instanceof BuiltInLimiter ours ? ours : new ForeignMember(limiter);
    }

    /** Returns the limiter as the chain was given it. */
    RateLimiter limiter();

    /** Returns the clock of this member; the system's if that is not known. */
    TimeSource time();

    /** Returns whether the clock is known. */
    boolean tellsTime();

    /** Returns whether this, and each member that it has itself, is of this library, so that it may be called in the drain of another. */
    boolean isOurs();

    /** Returns whether requests keep here the age that they have by a clock. */
    boolean keepsAgesBy(TimeSource clock);

    /** Throws if this is known to be closed. */
    void checkOpen();

    /** Returns whether this is known to be open, so that what it threw has another cause. */
    boolean isOpen();

    /** As {@link RateLimiter#acquire(int, java.time.Duration, PermitListener)}; one that does not keep ages may ignore the bound. */
    PermitRequest request(int permits, long maxWaitNanos, PermitListener listener);

    /**
     * Takes permits for a request of a chain that takes those of the other members at the same time. Returns null if they are not
     * available; one of this library neither counts nor observes that. Gives way to older requests that wait here. One of this
     * library calls no user code except the policy.
     */
    @Nullable
    Lease takeForChain(ChainRequest chainRequest);

    /** Returns whether this is a chain that may hold permits for the first request that waits there. Any thread. */
    default boolean isGranting() {
        return false;
    }

    /** Adds the engines that its permits come from at present, as far as known: one entry for each permit that a request for one takes. */
    void addEngines(List<PermitEngine> engines);

    /** Makes the drain, if there is one that can be reached, serve the waiting requests, as permits may be available for them. */
    void signal();

    // Waits from a moment on that is so much later than the present. A limiter of another library tells them only by a
    // take

    /** As {@link BuiltInLimiter#nanosUntil}, from that moment on. */
    long waitFrom(long laterNanos, long ahead, int permits);

    /** As {@link BuiltInLimiter#nanosAtLeast}, from that moment on. */
    long leastWaitFrom(long laterNanos, Ahead ahead, int permits);

    /** As {@link BuiltInLimiter#nanosUntilAsKnown}, from that moment on. */
    long knownWaitFrom(long laterNanos, int permits);

    /** As {@link BuiltInLimiter#nanosUntilFirst(long)}, from now on. */
    long nanosUntilFirst();
}
