package dev.weir.webflux;

import dev.weir.Lease;
import dev.weir.PermitListener;
import dev.weir.PermitRequest;
import dev.weir.RateLimiter;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Schedulers;

/**
 * Asks a limiter for permits as part of a Mono, and runs what follows the answer.
 *
 * <pre>
 *   WAITING ---- answer ----&gt; ANSWERED ---- what follows begins ----&gt; BEGUN
 *      |                          |                                     |
 *      |  cancel: leave queue     |  cancel: give permits back          |  no result: {@link Continuation#left}
 *      +--------------------------+---------------&gt; ENDED &lt;-------------+
 * </pre>
 *
 * <p>So either what follows has begun and the permits are spent, or no permits are taken from the limiter.
 */
final class Admission<T> implements PermitListener.Direct {

    /** What follows an answer. */
    interface Continuation<T> {

        /** Continues after the answer, which is a grant or a refusal. */
        Mono<T> go(Lease answer);

        /**
         * Called when the answer will not be used any more: what {@link #go} returned has completed empty, failed or been
         * cancelled, or has thrown when it was subscribed. Called right before that is signalled downstream. A result has to close
         * the lease itself, but this is called after it, too, if whoever uses the result cancels.
         */
        void left(Lease answer);

        /**
         * Continues without an answer, as asking has thrown this: the limiter is closed or never grants as much, which its state
         * tells, or else a policy of the user's own is to blame.
         */
        Mono<T> failed(RuntimeException complaint);
    }

    private enum State {
        WAITING,
        ANSWERED,
        BEGUN,
        ENDED
    }

    private final RateLimiter limiter;
    private final int permits;
    private final @Nullable Duration maxWait;
    private final Continuation<T> continuation;

    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

    /** The sink that waits for the answer. The thread that takes it out delivers the answer, so that this happens once. */
    private final AtomicReference<@Nullable MonoSink<Lease>> sink = new AtomicReference<>();

    /** Set before anybody can leave, as nobody can cancel what is still being subscribed; null if asking has failed. */
    private volatile @Nullable PermitRequest request;

    private volatile @Nullable Lease answer;
    private volatile @Nullable Thread asking;
    private volatile boolean hasWaited;

    private Admission(RateLimiter limiter, int permits, @Nullable Duration maxWait, Continuation<T> continuation) {
        this.limiter = limiter;
        this.permits = permits;
        this.maxWait = maxWait;
        this.continuation = continuation;
    }

    /**
     * Asks a limiter at each subscription and continues with the answer: on the subscribing thread if the answer comes at once.
     * After a wait it continues on {@code Schedulers.parallel()}, never on the granting thread, which is another request's.
     *
     * @param maxWait null for no bound
     */
    static <T> Mono<T> ask(RateLimiter limiter, int permits, @Nullable Duration maxWait, Continuation<T> continuation) {
        return Mono.defer(() -> {
            Admission<T> admission = new Admission<>(limiter, permits, maxWait, continuation);
            return WithoutResult.run(Mono.defer(admission::admit), admission::leave);
        });
    }

    /** Continues outside of any sink if answered at once: a sink would not let fatal errors through to the thread. */
    private Mono<T> admit() {
        try {
            ask();
        } catch (IllegalStateException | IllegalArgumentException complaint) {
            return continuation.failed(complaint);
        }
        return state.get() == State.ANSWERED
                ? begin(Objects.requireNonNull(answer))
                : Mono.<Lease>create(this::answerTo).flatMap(this::begin);
    }

    private void ask() {
        asking = Thread.currentThread();
        request = maxWait == null ? limiter.acquire(permits, this) : limiter.acquire(permits, maxWait, this);
        asking = null;
    }

    @Override
    public void onLease(Lease lease) {
        hasWaited = asking != Thread.currentThread();
        answer = lease;
        if (!state.compareAndSet(State.WAITING, State.ANSWERED)) {
            lease.giveBack();
            return;
        }
        tell(lease);
    }

    /** Stores the sink and then reads the state; {@link #onLease} does the reverse, so at least one side delivers the answer. */
    private void answerTo(MonoSink<Lease> waiting) {
        sink.set(waiting);
        if (state.get() == State.ANSWERED) {
            tell(Objects.requireNonNull(answer));
        }
    }

    private void tell(Lease lease) {
        MonoSink<Lease> waiting = sink.getAndSet(null);
        if (waiting != null) {
            waiting.success(lease);
        }
    }

    private Mono<T> begin(Lease lease) {
        // A subscriber that cancels before this is subscribed has made no call.
        Mono<T> onward = Mono.defer(
                () -> state.compareAndSet(State.ANSWERED, State.BEGUN) ? continuation.go(lease) : Mono.empty());
        if (!hasWaited) {
            return onward;
        }
        // Fatal errors are thrown on that other thread, where the subscriber does not see them.
        return WithoutResult.runIfThrown(onward, this::leave).subscribeOn(Schedulers.parallel());
    }

    private void leave() {
        State before = state.getAndSet(State.ENDED);
        PermitRequest waiting = request;
        Lease given = answer;
        if (before == State.WAITING && waiting != null) {
            waiting.cancel();
        } else if (before == State.ANSWERED && given != null) {
            given.giveBack();
        } else if (before == State.BEGUN && given != null) {
            continuation.left(given);
        }
    }
}
