/** What the measurements found out: kept as JSON, shown as a page. */
@NullMarked
package dev.weir.benchmarks.report;

import org.jspecify.annotations.NullMarked;
