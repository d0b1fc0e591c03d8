package dev.weir.gate;

import java.util.concurrent.RejectedExecutionException;

/** What it means that an executor throws when it is given a task. */
final class Rejection {

    private Rejection() {}

    /** Whatever it throws, it will not run the task: no room, no more threads, or a fault in an executor of somebody's own. */
    static RejectedExecutionException of(Throwable thrown) {
        return thrown instanceof RejectedExecutionException rejection
                ? rejection
                : new RejectedExecutionException(thrown);
    }
}
