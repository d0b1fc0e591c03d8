package dev.weir.reactor;

import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoOperator;

/** A mono whose element, or whose subscription, needs permits. */
final class MonoRateLimit<T> extends MonoOperator<T, T> {

    private final Gating<T> gating;

    MonoRateLimit(Mono<? extends T> source, Gating<T> gating) {
        super(source);
        this.gating = gating;
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        gating.subscribe(source, actual);
    }

    @Override
    @SuppressWarnings("rawtypes") // as declared
    public @Nullable Object scanUnsafe(Scannable.Attr key) {
        return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : super.scanUnsafe(key);
    }
}
