/** Time as one object that both tells it and schedules by it. */
@NullMarked
package dev.weir.time;

import org.jspecify.annotations.NullMarked;
