/** What an element costs on its way through a stream whose limit does not bite. */
@NullMarked
package dev.weir.benchmarks.stream;

import org.jspecify.annotations.NullMarked;
