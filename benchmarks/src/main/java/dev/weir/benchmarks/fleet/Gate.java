package dev.weir.benchmarks.fleet;

import java.util.concurrent.CompletionStage;

/** The limit of a key, as one of the nodes uses it. Answers on any thread, possibly before the method returns. */
interface Gate {

    /** Asks for a permit, now. Tells whether it is granted. */
    CompletionStage<Boolean> ask();

    /** Waits for a permit, as those who use the library do. Tells whether it was granted. */
    CompletionStage<Boolean> await();
}
