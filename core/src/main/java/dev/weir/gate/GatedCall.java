package dev.weir.gate;

import java.util.concurrent.RejectedExecutionException;

/**
 * What a {@link CallGate} decides about: a source that is to be subscribed once there is a permit for it. At most one of
 * {@link #begin}, {@link #refused} and {@link #skipped} is called, at most once, and none of them once
 * {@link CallGate#cancel} has returned true.
 */
public interface GatedCall {

    /** The permit is there: subscribes the source. On the thread that {@link CallGate} describes. */
    void begin();

    /**
     * The permit was refused: fails the stream. The source is never subscribed.
     *
     * @param error to fail with
     */
    void refused(Throwable error);

    /**
     * The permit was refused, and {@link dev.weir.stream.OnRefused#DROP} was chosen: ends the stream empty, or fails it with
     * that error where it cannot be empty. The source is never subscribed.
     *
     * @param error to fail with where need be
     */
    void skipped(Throwable error);

    /**
     * Hears what the limiter threw as it was to take the permit back, which changes nothing about the call. Any thread.
     *
     * @param error what is not delivered
     */
    void errorDropped(Throwable error);

    /**
     * Makes the error with which the stream fails because a timer or an executor takes no more tasks.
     *
     * @param rejection how it said so
     * @return the error
     */
    default Throwable rejected(RejectedExecutionException rejection) {
        return rejection;
    }
}
