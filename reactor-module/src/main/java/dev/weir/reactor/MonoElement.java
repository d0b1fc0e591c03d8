package dev.weir.reactor;

import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoOperator;

/** A mono whose element needs permits, not its subscription. */
final class MonoElement<T> extends MonoOperator<T, T> {

    private final ElementGating<T> gating;

    MonoElement(Mono<? extends T> source, ElementGating<T> gating) {
        super(source);
        this.gating = gating;
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        Beginning.of(actual, () -> gating.subscriber(actual), source::subscribe);
    }

    @Override
    @SuppressWarnings("rawtypes") // as declared
    public @Nullable Object scanUnsafe(Scannable.Attr key) {
        return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : super.scanUnsafe(key);
    }
}
