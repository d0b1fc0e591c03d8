package dev.weir;

import java.util.concurrent.atomic.LongAdder;

/** The answers of one limiter counted, for many threads at once. A limiter that is one of very many counts for itself. */
record Tally(LongAdder acquired, LongAdder refused) {

    Tally() {
        this(new LongAdder(), new LongAdder());
    }
}
