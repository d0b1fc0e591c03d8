package dev.weir.redis;

import java.util.List;

/** Runs scripts on a server. */
interface Commands {

    /**
     * Runs a script.
     *
     * @param script what to run
     * @param keys on which keys
     * @param arguments with what
     * @param listener hears the reply, once or never, on any thread
     */
    void run(Script script, String[] keys, String[] arguments, Listener listener);

    /** Who runs a script. */
    interface Listener {

        void replied(List<?> reply);

        void failed(Throwable cause);
    }
}
