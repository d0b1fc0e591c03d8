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
 * One request for permits, and what follows the answer.
 *
 * <pre>
 *   WAITING ---- answer ----&gt; ANSWERED ---- what follows begins ----&gt; BEGUN
 *      |                          |                                     |
 *      |  cancel: leave queue     |  cancel: give permits back          |  no result: {@link Passage#left}
 *      +--------------------------+---------------&gt; ENDED &lt;-------------+
 * </pre>
 *
 * <p>So either what follows has begun and the permits are spent, or the limiter is as if it had never been asked.
 */
final class Admission implements PermitListener.Direct {

    /** What follows an answer. */
    interface Passage<T> {

        /** Goes on with a grant, or after a refusal. */
        Mono<T> go(Lease answer);

        /**
         * Hears that nothing will come of the answer any more: what {@link #go} returned is over without a result or was given
         * up, or never began as nothing could run it. Right before anybody else hears of that end. A result takes the answer
         * with it, and has to end it.
         */
        void left(Lease answer);

        /** Returns what is heard of a limiter that answers nobody any more, as it has been closed. */
        Throwable closed(IllegalStateException complaint);

        /** Returns what is heard of a limiter that cannot be asked for so many permits. */
        default Throwable impossible(IllegalArgumentException complaint) {
            return complaint;
        }
    }

    private enum State {
        WAITING,
        ANSWERED,
        BEGUN,
        ENDED
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

    /** Whoever takes it out tells the answer, so that this is done once. */
    private final AtomicReference<@Nullable MonoSink<Lease>> sink = new AtomicReference<>();

    private volatile @Nullable PermitRequest request;
    private volatile @Nullable Lease answer;
    private volatile @Nullable Thread asking;
    private volatile boolean hasWaited;

    private Admission() {}

    /**
     * Asks a limiter by each subscription and goes on. An answer that comes at once goes on where it was asked for. After a
     * wait it goes on, on {@code Schedulers.parallel()}, never on the thread that granted: that is somebody else's.
     *
     * @param maxWait null for no bound
     */
    static <T> Mono<T> ask(RateLimiter limiter, int permits, @Nullable Duration maxWait, Passage<T> passage) {
        return Mono.defer(() -> {
            Admission admission = new Admission();
            Mono<T> admitted = Mono.defer(() -> admission.admit(limiter, permits, maxWait, passage));
            return WithoutResult.run(admitted, () -> admission.leave(passage));
        });
    }

    /** What is answered at once goes on outside of any sink, which would keep what is fatal from the thread. */
    private <T> Mono<T> admit(RateLimiter limiter, int permits, @Nullable Duration maxWait, Passage<T> passage) {
        try {
            ask(limiter, permits, maxWait);
        } catch (IllegalStateException complaint) {
            return Mono.error(passage.closed(complaint));
        } catch (IllegalArgumentException complaint) {
            return Mono.error(passage.impossible(complaint));
        }
        return state.get() == State.ANSWERED
                ? begin(Objects.requireNonNull(answer), passage)
                : Mono.<Lease>create(this::answerTo).flatMap(lease -> begin(lease, passage));
    }

    private void ask(RateLimiter limiter, int permits, @Nullable Duration maxWait) {
        asking = Thread.currentThread();
        PermitRequest made = maxWait == null ? limiter.acquire(permits, this) : limiter.acquire(permits, maxWait, this);
        asking = null;
        request = made;
        if (state.get() == State.ENDED) {
            made.cancel();
        }
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

    /** The answer may have come right before, or come right now: then both sides see that it is to be told. */
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

    private <T> Mono<T> begin(Lease lease, Passage<T> passage) {
        if (!state.compareAndSet(State.ANSWERED, State.BEGUN)) {
            return Mono.empty();
        }
        Mono<T> onward = Mono.defer(() -> passage.go(lease));
        if (!hasWaited) {
            return onward;
        }
        // What is fatal is thrown on the other thread then, past whoever subscribed here.
        return WithoutResult.runIfThrown(onward, () -> leave(passage)).subscribeOn(Schedulers.parallel());
    }

    private <T> void leave(Passage<T> passage) {
        State before = state.getAndSet(State.ENDED);
        PermitRequest waiting = request;
        Lease given = answer;
        if (before == State.WAITING && waiting != null) {
            waiting.cancel();
        } else if (before == State.ANSWERED && given != null) {
            given.giveBack();
        } else if (before == State.BEGUN && given != null) {
            passage.left(given);
        }
    }
}
