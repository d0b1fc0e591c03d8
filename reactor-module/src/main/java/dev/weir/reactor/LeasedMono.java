package dev.weir.reactor;

import dev.weir.Lease;
import dev.weir.gate.CallPlan;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Mono;

/** A mono that makes a call for each subscription, with the lease of its permits. */
final class LeasedMono<T> extends Mono<T> implements Scannable {

    private final Function<Lease, Mono<T>> call;
    private final CallPlan calls;

    private LeasedMono(Function<Lease, Mono<T>> call, CallPlan calls) {
        this.call = call;
        this.calls = calls;
    }

    /**
     * Assembles such a mono as {@code transform} would: what follows it also sees the thread locals of its own subscriber.
     *
     * @param call makes the call; fails, if it does, when that is subscribed
     */
    static <T> Mono<T> of(Function<Lease, Mono<T>> call, CallPlan calls) {
        return onAssembly(from(new LeasedMono<>(call, calls)));
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        GuardedSubscribe.begin(() -> new CallSubscriber<T>(call, actual, true, calls), CallSubscriber::enter, actual);
    }

    @Override
    @SuppressWarnings("rawtypes") // as declared
    public @Nullable Object scanUnsafe(Scannable.Attr key) {
        return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
    }
}
