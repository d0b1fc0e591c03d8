package dev.weir.redis;

import dev.weir.limit.Limit;

/** Keeps the permits of one limiter for all nodes. Called from any thread; never blocks. */
interface Store {

    /**
     * Sends a request.
     *
     * @param limit the limit to enforce; the store does not remember it
     * @param question the request
     * @param listener notified of the answer, once or never, on any thread, possibly before this method returns
     */
    void ask(Limit limit, Question question, Listener listener);

    /** Returns which of several servers keeps the permits at present, as far as is known; by default, all are kept by the same. */
    default String server() {
        return "";
    }

    /**
     * Checks that the store can enforce a limit.
     *
     * @throws IllegalArgumentException if it cannot; by default it can
     */
    default void check(Limit limit) {}

    /** Callback for the answer. */
    interface Listener {

        void answered(Answer answer);

        void failed(Throwable cause);
    }
}
