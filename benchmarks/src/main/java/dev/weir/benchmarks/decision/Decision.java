package dev.weir.benchmarks.decision;

/** Something that says yes or no at once, from any thread. */
@FunctionalInterface
interface Decision {

    /** Asks for one permit; where permits are handed out on loan, gives it back as well. */
    boolean tryTake();
}
