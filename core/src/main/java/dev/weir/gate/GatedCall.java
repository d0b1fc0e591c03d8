package dev.weir.gate;

import dev.weir.Lease;
import java.util.concurrent.RejectedExecutionException;

/**
 * The call behind a {@link CallGate}: a source that is to be subscribed once its permits are granted. At most one of
 * {@link #begin}, {@link #refused} and {@link #skipped} is called, at most once, and none of them once {@link CallGate#cancel}
 * has returned true.
 */
public interface GatedCall {

    /**
     * The permits were granted: subscribes the source. Called on the thread that {@link CallGate} describes.
     *
     * @param lease the lease of the permits, which the gate closes; a call may settle it before
     */
    void begin(Lease lease);

    /**
     * The permit was refused: fails the stream. The source is never subscribed.
     *
     * @param error the error to fail with
     */
    void refused(Throwable error);

    /**
     * The permit was refused, and {@link dev.weir.stream.OnRefused#DROP} was chosen: completes the stream empty, or fails it with
     * that error if it cannot be empty. The source is never subscribed.
     *
     * @param error the error to fail with if the stream cannot be empty
     */
    void skipped(Throwable error);

    /**
     * Receives an error that the limiter threw when the permit was returned to it; it does not affect the call. Any thread.
     *
     * @param error the error that is not delivered
     */
    void errorDropped(Throwable error);

    /**
     * Returns the error with which the stream fails because a timer or an executor accepts no more tasks.
     *
     * @param rejection the exception thrown by the timer or executor
     * @return the error
     */
    default Throwable rejected(RejectedExecutionException rejection) {
        return rejection;
    }
}
