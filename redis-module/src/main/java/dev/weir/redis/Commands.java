package dev.weir.redis;

/** Runs scripts on a server; each replies with a string. */
interface Commands {

    /**
     * Runs a script.
     *
     * @param script the script
     * @param keys its keys
     * @param arguments its arguments
     * @param listener receives the reply or the failure, once or never, on any thread
     */
    void run(Script script, String[] keys, String[] arguments, Listener listener);

    /** Returns which of several servers keeps a key, as far as is known; empty if that is not known, or there is one server. */
    default String serverOf(String key) {
        return "";
    }

    /** Sends all calls kept back, and keeps none back from now on: the connection is about to be closed. */
    default void hurry() {}

    /** Receives the result of a script. */
    interface Listener {

        void replied(String reply);

        void failed(Throwable cause);
    }
}
