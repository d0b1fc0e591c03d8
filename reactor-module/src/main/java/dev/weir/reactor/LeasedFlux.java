package dev.weir.reactor;

import dev.weir.Lease;
import dev.weir.gate.CallPlan;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;

/** A flux that makes a call for each subscription, with the lease of its permits. */
final class LeasedFlux<T> extends Flux<T> implements Scannable {

    private final Function<Lease, Flux<T>> call;
    private final CallPlan calls;

    private LeasedFlux(Function<Lease, Flux<T>> call, CallPlan calls) {
        this.call = call;
        this.calls = calls;
    }

    /**
     * Assembles such a flux as {@code transform} would: what follows it also sees the thread locals of its own subscriber.
     *
     * @param call makes the call; fails, if it does, when that is subscribed
     */
    static <T> Flux<T> of(Function<Lease, Flux<T>> call, CallPlan calls) {
        return onAssembly(from(new LeasedFlux<>(call, calls)));
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        GuardedSubscribe.begin(() -> new CallSubscriber<T>(call, actual, false, calls), CallSubscriber::enter, actual);
    }

    @Override
    @SuppressWarnings("rawtypes") // as declared
    public @Nullable Object scanUnsafe(Scannable.Attr key) {
        return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
    }
}
