package dev.weir.rxjava;

import dev.weir.gate.CallGate;
import dev.weir.gate.GatedCall;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.exceptions.ProtocolViolationException;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One subscription of a gated source that is disposed rather than cancelled; the common part of all such sources.
 *
 * <pre>
 *   null --onSubscribe--&gt; upstream
 *     |                       |
 *     +---dispose, the end----+--&gt; OVER     an upstream that arrives here is disposed
 * </pre>
 */
abstract class DisposableCall implements Disposable, GatedCall {

    private static final Disposable OVER = new Over();

    private final AtomicReference<@Nullable Disposable> upstream = new AtomicReference<>();
    private final CallGate gate;

    DisposableCall(Calls calls) {
        this.gate = calls.newGate(this);
    }

    abstract void subscribeSource();

    abstract void tellError(Throwable error);

    /** Begins a subscription: downstream receives the call as its disposable, and the call requests its permit. */
    static void enter(
            Supplier<DisposableCall> maker, Consumer<? super Disposable> onSubscribe, Consumer<Throwable> onFailure) {
        Beginning.of(
                maker,
                call -> {
                    onSubscribe.accept(call);
                    call.gate.enter();
                },
                onFailure);
    }

    @Override
    public final void begin() {
        try {
            subscribeSource();
        } catch (Throwable thrown) {
            Calls.cancelIfFatal(thrown, this::dispose);
            fail(Calls.thrownBySource(thrown));
        }
    }

    @Override
    public final void refused(Throwable error) {
        end(() -> tellError(error)); // a refusal that comes too late can be ignored
    }

    @Override
    public void skipped(Throwable error) {
        refused(error);
    }

    @Override
    public final void errorDropped(Throwable error) {
        RxJavaPlugins.onError(error);
    }

    /** Receives the disposable of the source. */
    public final void onSubscribe(Disposable disposable) {
        if (!upstream.compareAndSet(null, disposable)) {
            disposable.dispose();
            if (!isDisposed()) {
                RxJavaPlugins.onError(new ProtocolViolationException("Disposable already set!"));
            }
        }
    }

    /** The source has failed. */
    public final void onError(Throwable error) {
        fail(error);
    }

    private void fail(Throwable error) {
        if (!end(() -> tellError(error))) {
            RxJavaPlugins.onError(error);
        }
    }

    /** Ends the subscription with a signal, and returns whether it was not over yet. */
    final boolean end(Runnable signal) {
        if (upstream.getAndSet(OVER) == OVER) {
            return false;
        }
        gate.end(signal);
        return true;
    }

    @Override
    public final void dispose() {
        Disposable last = upstream.getAndSet(OVER);
        if (last != OVER) {
            try {
                if (last != null) {
                    last.dispose();
                }
            } finally {
                gate.cancel(); // also when the source throws
            }
        }
    }

    @Override
    public final boolean isDisposed() {
        return upstream.get() == OVER;
    }

    /** Not {@link Disposable#disposed()}, which a source may have too. */
    private static final class Over implements Disposable {

        @Override
        public void dispose() {}

        @Override
        public boolean isDisposed() {
            return true;
        }
    }
}
