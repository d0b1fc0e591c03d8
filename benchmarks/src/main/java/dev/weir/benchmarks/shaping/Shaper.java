package dev.weir.benchmarks.shaping;

import java.util.function.BooleanSupplier;

/** A stream of more elements than may pass. */
@FunctionalInterface
interface Shaper {

    /** Lets elements pass, telling of each, until told to stop; then returns. */
    void run(BooleanSupplier passed);
}
