package dev.weir.redis;

/** Runs scripts on a server, each of which replies in one line. */
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

    /** Keeps nothing back from now on, nor what has been: the connection is about to be closed. */
    default void hurry() {}

    /** Who runs a script. */
    interface Listener {

        void replied(String reply);

        void failed(Throwable cause);
    }
}
