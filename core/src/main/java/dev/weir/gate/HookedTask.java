package dev.weir.gate;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A task of a stream that runs within what the framework's hook for scheduled tasks has made on the thread that subscribed.
 *
 * <p>Such a hook carries thread locals from the thread that schedules a task into the task. The tasks of a stream that has waited
 * are scheduled by whoever granted its permits, for instance by somebody else's request; so the hook is called once, as the stream
 * is subscribed, for a runnable within which each task then runs. The scheduler calls the hook again for every task; what that has
 * captured of the granting thread is further out, and so covered, but for what the subscribing thread lacks if the hook carries only
 * what is there.
 */
final class HookedTask implements Runnable {

    /** The task that the current thread is about to run, or runs. */
    private static final ThreadLocal<HookedTask> CURRENT = new ThreadLocal<>();

    private static final Runnable RUN_CURRENT = HookedTask::runCurrent;

    private final Runnable hooked;
    private @Nullable Runnable task;

    private HookedTask(Runnable hooked, Runnable task) {
        this.hooked = hooked;
        this.task = task;
    }

    /**
     * Calls a hook on the thread that subscribes a stream.
     *
     * @param hook returns what it is given if there is no hook
     * @return makes the tasks of that stream run within what the hook returned; if the hook has thrown, rejects them
     */
    static UnaryOperator<Runnable> hookedBy(UnaryOperator<Runnable> hook) {
        Runnable hooked;
        try {
            hooked = hook.apply(RUN_CURRENT);
        } catch (Throwable thrown) {
            return task -> {
                throw Rejection.of(thrown);
            };
        }
        return hooked == null || hooked == RUN_CURRENT
                ? UnaryOperator.identity()
                : task -> new HookedTask(hooked, task);
    }

    @Override
    public void run() {
        HookedTask outer = CURRENT.get();
        CURRENT.set(this);
        try {
            hooked.run();
        } finally {
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
            runOnce(); // without it, if the hook's runnable serves but once, or has thrown
        }
    }

    private static void runCurrent() {
        HookedTask current = CURRENT.get();
        if (current != null) {
            current.runOnce();
        }
    }

    private void runOnce() {
        Runnable left = task;
        if (left != null) {
            task = null;
            left.run();
        }
    }
}
