package dev.weir.redis;

import dev.weir.limit.Limit;

/** Where the permits of one limiter are kept for all nodes. Asked from any thread; never blocks. */
interface Store {

    /**
     * Asks.
     *
     * @param limit the limit that is to be kept, of which the store remembers nothing
     * @param question what is asked
     * @param asker hears the answer, once or never, on any thread, possibly before this method returns
     */
    void ask(Limit limit, Question question, Asker asker);

    /**
     * Tells whether it can keep a limit.
     *
     * @throws IllegalArgumentException if it cannot; unless overridden, it can
     */
    default void check(Limit limit) {}

    /** Who asked. */
    interface Asker {

        void answered(Answer answer);

        void failed(Throwable cause);
    }
}
