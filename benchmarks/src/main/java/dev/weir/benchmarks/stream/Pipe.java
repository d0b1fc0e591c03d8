package dev.weir.benchmarks.stream;

/** A stream of numbers, run from its source to its end. */
@FunctionalInterface
interface Pipe {

    /** Sends so many elements through and returns how many arrived. */
    long pass(int elements);
}
