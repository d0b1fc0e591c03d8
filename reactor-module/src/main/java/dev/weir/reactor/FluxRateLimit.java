package dev.weir.reactor;

import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;

/** A flux whose elements, or whose subscription, need permits. */
final class FluxRateLimit<T> extends FluxOperator<T, T> {

    private final Gating<T> gating;

    FluxRateLimit(Flux<? extends T> source, Gating<T> gating) {
        super(source);
        this.gating = gating;
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        gating.subscribe(source, actual);
    }

    @Override
    public int getPrefetch() {
        return gating.prefetch();
    }

    @Override
    @SuppressWarnings("rawtypes") // as declared
    public @Nullable Object scanUnsafe(Scannable.Attr key) {
        return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : super.scanUnsafe(key);
    }
}
