package dev.weir.benchmarks.fleet;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Grants whatever is asked for, at once: what remains is the cost of asking, and of measuring it. */
final class NoLimits implements SharedLimits, Gate {

    @Override
    public Gate gate(int node, String key) {
        return this;
    }

    @Override
    public void ask(BiConsumer<@Nullable Boolean, @Nullable Throwable> told) {
        told.accept(true, null);
    }

    @Override
    public CompletionStage<Boolean> await() {
        return CompletableFuture.completedFuture(true);
    }

    @Override
    public void close() {}
}
