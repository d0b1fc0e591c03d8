package dev.weir.benchmarks.crowd;

/** A limit for each key. */
interface Keyed {

    /** Takes a permit of a key, which is new or known. */
    boolean tryTake(Long key);

    /** How many keys are known. */
    long keys();

    /** How many timers have been pending at once. */
    default int mostTimers() {
        return 0;
    }
}
