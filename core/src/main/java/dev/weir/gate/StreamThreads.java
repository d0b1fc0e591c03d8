package dev.weir.gate;

import dev.weir.time.TimeSource;

/**
 * The clock and the threads that a framework has for streams, as found when a stream is subscribed: virtual time takes the place of
 * the real ones while it lasts.
 */
public interface StreamThreads {

    /**
     * Returns the clock, with the timer on whose threads limiters of streams grant.
     *
     * @return the time source
     */
    TimeSource time();

    /**
     * Returns an executor on a worker of a stream's own. Called on the thread that subscribes the stream.
     *
     * @return the executor
     */
    StreamWorker<?> newWorker();

    /**
     * Returns whether the clock is the same that was found before, so that permits counted on that one still mean something.
     *
     * @param before what was found before
     * @return whether it is
     */
    boolean hasClockOf(StreamThreads before);
}
