package dev.weir.rxjava;

import dev.weir.gate.ElementGate;
import dev.weir.gate.GatePlan;
import dev.weir.gate.GatedStream;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.time.TimeSource;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** What one subscription needs to gate its elements: a plan, and the executor on which they continue after a wait. */
record Setup<T>(GatePlan<T> plan, @Nullable Executor resume) {

    /** With a limiter of the subscription's own, which grants on the scheduler on which the elements continue. */
    static <T> Setup<T> own(Limit limit, StreamOptions options) {
        TimeSource time = RxTime.ofStreams(Schedulers.computation());
        GatePlan<T> plan = GatePlan.own(limit, time, options);
        return new Setup<>(plan, options.emitOn().orElse(null));
    }

    /** With limiters that also serve other streams, whose threads must not be delayed. */
    static <T> Setup<T> shared(GatePlan<T> plan) {
        return new Setup<>(plan, OwnWorker.unlessGiven(plan.options()));
    }

    ElementGate<T> newGate(GatedStream<T> stream) {
        return new ElementGate<>(plan, stream, resume);
    }
}
