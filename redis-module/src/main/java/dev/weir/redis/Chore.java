package dev.weir.redis;

import dev.weir.handle.Handles;
import dev.weir.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;

/**
 * A task to be done once at a time: pending from when it is scheduled, or claimed, until it begins. If it throws, as a clock may, it is
 * done again a while later, as nobody else may ask for it.
 */
final class Chore<O> {

    /** After how long to do again, or look again at, what a clock that throws has hindered. */
    static final long AGAIN_NANOS = 100_000_000;

    private static final VarHandle PENDING =
            Handles.of(() -> MethodHandles.lookup().findVarHandle(Chore.class, "pending", boolean.class));

    private final O owner;
    private final Consumer<O> task;
    private volatile boolean pending;

    /**
     * There are several chores for each of very many keys: so the mark is no object, and the task is given as one that all owners share.
     */
    Chore(O owner, Consumer<O> task) {
        this.owner = owner;
        this.task = task;
    }

    boolean isPending() {
        return pending;
    }

    /** Marks this as pending, for the caller to schedule it or to see to it otherwise. Returns false if it is pending already. */
    boolean claim() {
        return PENDING.compareAndSet(this, false, true);
    }

    /** Ends a claim: from now on this can be claimed or scheduled again. */
    void unclaim() {
        pending = false;
    }

    /** Schedules this, unless it is pending. Returns false if the time source rejects it; then it is not pending. */
    boolean in(long nanos, TimeSource time) {
        return !claim() || claimedIn(nanos, time);
    }

    /** Schedules this once it has been claimed, as {@link #in}. */
    boolean claimedIn(long nanos, TimeSource time) {
        try {
            time.schedule(() -> run(time), nanos);
            return true;
        } catch (Throwable noMoreTasks) {
            unclaim();
            return false;
        }
    }

    private void run(TimeSource time) {
        unclaim();
        try {
            task.accept(owner);
        } catch (Throwable broken) {
            in(AGAIN_NANOS, time);
            throw broken;
        }
    }
}
