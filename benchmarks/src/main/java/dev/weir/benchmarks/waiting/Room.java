package dev.weir.benchmarks.waiting;

/** Where requests wait that are not granted for as long as anybody looks. */
interface Room {

    /** Lets one more request wait and returns what it can be withdrawn by. */
    Object enter();

    /** Withdraws a request. Answers false if it did not wait any more. */
    boolean leave(Object request);

    /** How many wait, as far as the contender knows. */
    long waiting();

    /** How many timers are pending. */
    int timers();
}
