package dev.weir.handle;

import java.lang.invoke.VarHandle;
import java.util.concurrent.Callable;

/** Makes the handles of fields that threads share. */
public final class Handles {

    private Handles() {}

    /**
     * Returns the handle of a field, for a constant of the class that has the field. The class looks the field up itself, as it alone
     * may, and names it there, as that is where a native image finds out which fields have handles: by {@code () ->
     * MethodHandles.lookup().findVarHandle(Waiter.class, "state", int.class)}.
     *
     * @param lookUp looks the field up
     * @return the handle
     * @throws ExceptionInInitializerError if there is no such field
     */
    public static VarHandle of(Callable<VarHandle> lookUp) {
        try {
            return lookUp.call();
        } catch (Exception e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
