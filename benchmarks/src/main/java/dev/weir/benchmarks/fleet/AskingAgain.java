package dev.weir.benchmarks.fleet;

import dev.weir.benchmarks.Timers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Waits where a library can only refuse: by asking again, which is all that its users can do. */
abstract class AskingAgain implements Gate {

    private static final long PAUSE_MILLIS = 100;
    private static final ScheduledExecutorService TIMER = Timers.daemon();

    @Override
    public CompletionStage<Boolean> await() {
        CompletableFuture<Boolean> granted = new CompletableFuture<>();
        askUntil(granted);
        return granted;
    }

    private void askUntil(CompletableFuture<Boolean> granted) {
        ask((answer, failure) -> {
            if (failure != null) {
                granted.completeExceptionally(failure);
            } else if (Boolean.TRUE.equals(answer)) {
                granted.complete(true);
            } else {
                var unused = TIMER.schedule(() -> askUntil(granted), PAUSE_MILLIS, TimeUnit.MILLISECONDS);
            }
        });
    }
}
