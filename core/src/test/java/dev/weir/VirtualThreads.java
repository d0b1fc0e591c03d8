package dev.weir;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** Virtual threads, to tests that are compiled for a JDK without them. */
final class VirtualThreads {

    private VirtualThreads() {}

    /** Runs a task on a virtual thread, on a JDK that has none on a plain one. */
    static void start(Runnable task) {
        try {
            Method startVirtual = Thread.class.getMethod("startVirtualThread", Runnable.class);
            startVirtual.invoke(null, task);
        } catch (NoSuchMethodException noVirtualThreads) {
            new Thread(task).start();
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    /** Whether the caller is on one. */
    static boolean isCurrent() {
        try {
            return (boolean) Thread.class.getMethod("isVirtual").invoke(Thread.currentThread());
        } catch (ReflectiveOperationException noVirtualThreads) {
            return false;
        }
    }
}
