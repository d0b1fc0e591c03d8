package dev.weir.benchmarks.run;

import dev.weir.benchmarks.report.Rows;

/** A comparison. */
interface Section {

    /** Measures all contenders once. */
    void measure(Rows rows, Effort effort);
}
