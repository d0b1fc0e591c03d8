package dev.weir.gate;

import java.util.concurrent.RejectedExecutionException;

/** Converts what an executor throws when it is given a task. */
public final class Rejection {

    private Rejection() {}

    /**
     * Returns the exception as a rejection: whatever it is, the executor is full, has no threads or is faulty, and will not run
     * the task.
     *
     * @param thrown what the executor has thrown
     * @return the same if it is a rejection, else a rejection with this cause
     */
    public static RejectedExecutionException of(Throwable thrown) {
        return thrown instanceof RejectedExecutionException rejection
                ? rejection
                : new RejectedExecutionException(thrown);
    }
}
