package dev.weir;

import java.util.concurrent.atomic.LongAdder;

/** The answers of one limiter counted, for many threads at once. A limiter that is one of very many
 * does without until it has counted very much. */
record Tally(LongAdder acquired, LongAdder refused) {

    Tally() {
        this(new LongAdder(), new LongAdder());
    }

    void add(int granted, int denied) {
        if (granted != 0) {
            acquired.add(granted);
        }
        if (denied != 0) {
            refused.add(denied);
        }
    }
}
