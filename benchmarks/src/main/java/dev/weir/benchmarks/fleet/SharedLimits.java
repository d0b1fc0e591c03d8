package dev.weir.benchmarks.fleet;

/** Limits that some nodes share through a server, by one of the libraries. */
interface SharedLimits extends AutoCloseable {

    /** The limit of a key, as one of the nodes uses it. */
    Gate gate(int node, String key);

    /** How many trips to the server there were so far that were not for a script. */
    default long tripsBesideScripts() {
        return 0;
    }

    @Override
    void close();
}
