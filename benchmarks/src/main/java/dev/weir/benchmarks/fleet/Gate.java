package dev.weir.benchmarks.fleet;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The limit of a key, as one of the nodes uses it. Answers on any thread, possibly before the method returns. */
interface Gate {

    /** Asks for a permit, now. Tells whether it is granted, or what has gone wrong, once. */
    void ask(BiConsumer<@Nullable Boolean, @Nullable Throwable> told);

    /** Waits for a permit, as those who use the library do. Tells whether it was granted. */
    CompletionStage<Boolean> await();

    /** Whoever is told by this completes a future. */
    static BiConsumer<@Nullable Boolean, @Nullable Throwable> completing(CompletableFuture<Boolean> answer) {
        return (granted, failure) -> {
            if (failure == null) {
                answer.complete(granted);
            } else {
                answer.completeExceptionally(failure);
            }
        };
    }
}
