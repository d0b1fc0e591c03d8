package dev.weir.reactor;

import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;

/** A flux whose elements need permits. */
final class FluxElements<T> extends FluxOperator<T, T> {

    private final ElementGating<T> gating;

    FluxElements(Flux<? extends T> source, ElementGating<T> gating) {
        super(source);
        this.gating = gating;
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        Beginning.of(actual, () -> gating.subscriber(actual), source::subscribe);
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
