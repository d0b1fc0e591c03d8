package dev.weir.benchmarks;

/** A contender in a comparison. */
public interface Compared {

    /** What programs call it. */
    String name();

    /** What people call it. */
    String label();

    /** What it is in the comparison. */
    Kind kind();
}
