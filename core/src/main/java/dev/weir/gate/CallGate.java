package dev.weir.gate;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.stream.StreamOptions;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Subscribes the source of one subscription when its permits are granted, which is to begin a call: the state machine behind the
 * operators that gate subscriptions. Each subscription has one gate.
 *
 * <h2>Who calls what</h2>
 *
 * <ul>
 *   <li>{@link #enter}: once, after downstream has received its subscription.
 *   <li>The source's signals, {@link #arrives}, {@link #next}, {@link #last}, {@link #success}, {@link #complete}, {@link #fail}:
 *       one at a time, as Reactive Streams requires (§1.3).
 *   <li>{@link #request} and {@link #cancel}: any thread, at any time.
 * </ul>
 *
 * <p>If the permits are available at once, the call begins on the thread that enters; after a wait it begins on the executor given to
 * the constructor, or, without one, on the granting thread. If the executor will never run a task, it must throw
 * {@link RejectedExecutionException} or any other exception; then the call fails with it.
 *
 * <p>If the call begins, its permits are spent, and its lease is closed exactly when the call ends or is cancelled; if it never
 * begins, the limiter is as if it had never been asked. Downstream hears of one end: of a refusal, of the source's, or of what the
 * source threw when it was subscribed. What downstream throws leaves through whatever has called it, as it would without the gate.
 *
 * @param <T> the type of the elements
 * @param <S> the type of the upstream, which the source sends when it is subscribed
 */
public final class CallGate<T, S> {

    private final GatedCall<T, S> call;
    private final CallPermits permits;

    /** Settles which end downstream hears of. */
    private final LateUpstream<S> upstream;

    /** Written by the thread on which downstream throws, and read by the one that subscribes the source, if that is the same. */
    private boolean downstreamThrew;

    /**
     * Creates the gate of a subscription.
     *
     * @param limiter the limiter to ask
     * @param permits how many permits to ask for; the call is refused if the limiter says that it can never grant them
     * @param options the options of the stream, of which {@code maxWait} and {@code onRefused} have an effect
     * @param resume the executor on which the call begins after a wait, released when the call is over if it is a
     *     {@link StreamWorker}; null for the granting thread
     * @param call the call to begin
     */
    @SuppressWarnings("this-escape") // called back only once it is entered
    public CallGate(
            RateLimiter limiter, int permits, StreamOptions options, @Nullable Executor resume, GatedCall<T, S> call) {
        this.call = call;
        this.permits = new CallPermits(limiter, permits, options, resume, this);
        this.upstream = new LateUpstream<>(call);
    }

    /** Asks for the permits. Begins the call before it returns if they are available at once. */
    public void enter() {
        permits.enter();
    }

    // From the permits

    void begin(Lease lease) {
        try {
            call.subscribe(lease);
        } catch (Throwable thrown) {
            if (downstreamThrew) {
                throw thrown;
            }
            throwIfFatal(thrown);
            failBySource(Hook.error(() -> call.sourceFailed(thrown)));
        }
    }

    /** Throws what the framework considers fatal. Downstream counts as cancelled then, so that nothing is left behind. */
    private void throwIfFatal(Throwable thrown) {
        try {
            call.throwIfFatal(thrown);
        } catch (Throwable fatal) {
            cancel();
            throw fatal;
        }
    }

    /** Fails the call because its source threw when it was subscribed. What it has sent of itself by then is cancelled first. */
    private void failBySource(Throwable error) {
        if (!upstream.endAndCancel(() -> tellEnd(() -> call.error(error)))) {
            call.errorDropped(error);
        }
    }

    void refused(Throwable error) {
        end(() -> call.error(error)); // if all is over already, a refusal comes too late to be told
    }

    /** The permits were refused, and the call shall complete empty, if it can. */
    void skipped(Throwable error) {
        if (call.canBeEmpty()) {
            complete();
        } else {
            refused(error);
        }
    }

    void rejected(RejectedExecutionException rejection) {
        refused(Hook.error(() -> call.rejected(rejection)));
    }

    void errorDropped(Throwable error) {
        call.errorDropped(error);
    }

    // From the source

    /**
     * Signals that the source has sent its upstream.
     *
     * @param sent the upstream
     * @return false if there is one already, against the protocol
     * @throws NullPointerException if there is none, as Reactive Streams requires (§2.13)
     */
    public boolean arrives(S sent) {
        return upstream.arrives(sent);
    }

    /**
     * Signals an element of the source.
     *
     * @param element the element
     */
    public void next(T element) {
        if (upstream.isOver()) {
            late(element);
            return;
        }
        try {
            call.next(element);
        } catch (Throwable thrown) {
            downstreamThrew = true;
            cancel(); // a subscriber that throws has cancelled (§2.13)
            throw thrown;
        }
    }

    private void late(T element) {
        if (upstream.isEnded()) {
            call.elementDropped(element);
        } else {
            call.discard(element);
        }
    }

    /**
     * Signals the element after which downstream expects no other, so the permit returns before it does; {@link #complete} follows.
     *
     * @param element the element
     */
    public void last(T element) {
        if (!upstream.isOver()) {
            permits.end();
        }
        next(element);
    }

    /**
     * Signals the element that is the end as well.
     *
     * @param element the element
     */
    public void success(T element) {
        if (!end(() -> call.next(element))) {
            late(element);
        }
    }

    /** Signals that the source has completed. */
    public void complete() {
        end(call::complete);
    }

    /**
     * Signals that the source has failed.
     *
     * @param error the error of the source
     */
    public void fail(Throwable error) {
        if (!end(() -> call.error(error))) {
            call.errorDropped(error);
        }
    }

    /** Ends the subscription with a signal, and returns whether it was not over yet. */
    private boolean end(Runnable signal) {
        boolean ends = upstream.end();
        if (ends) {
            tellEnd(signal);
        }
        return ends;
    }

    /** Notifies downstream of the end, once the permit has returned. */
    private void tellEnd(Runnable signal) {
        permits.end();
        try {
            signal.run();
        } catch (Throwable thrown) {
            downstreamThrew = true;
            throw thrown;
        } finally {
            permits.releaseWorker();
        }
    }

    // From downstream

    /**
     * Signals that downstream requests more elements.
     *
     * @param elements how many, positive
     */
    public void request(long elements) {
        upstream.request(elements);
    }

    /** Signals that downstream has cancelled. Idempotent. */
    public void cancel() {
        upstream.cancel(permits::giveUp);
    }

    /** {@return whether downstream has been told of the end, or is about to be} */
    public boolean isEnded() {
        return upstream.isEnded();
    }

    /** {@return whether downstream has cancelled before the end} */
    public boolean isCancelled() {
        return upstream.isCancelled();
    }

    /** {@return the upstream; null if it has not arrived, or all is over} */
    public @Nullable S upstream() {
        return upstream.present();
    }

    /** {@return the demand that is stored until the upstream arrives} */
    public long storedDemand() {
        return upstream.stored();
    }
}
