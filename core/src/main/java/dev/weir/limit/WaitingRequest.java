package dev.weir.limit;

import org.jspecify.annotations.Nullable;

/**
 * A request that waits for a limit, and through it those behind. Passed to {@link PermitPolicy#tryTakeFirst}, and to be used only
 * during that call, on its thread.
 */
public interface WaitingRequest {

    /**
     * Returns how many permits it asks for.
     *
     * @return at least 1
     */
    int permits();

    /**
     * Returns the request that is served next after this one. Some that have just come may not be told of yet.
     *
     * @return the next request, or null if there is none, or none is known yet
     */
    @Nullable
    WaitingRequest next();
}
