package dev.weir.gate;

import dev.weir.handle.Handles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The upstream of a gated call, which arrives only when the call has begun. Demand that arrives before is stored. Any thread.
 *
 * <pre>
 *   StoredDemand --arrives--&gt; upstream
 *     |                           |
 *     +-------end, cancel---------+--&gt; ENDED, CANCELLED     an upstream that arrives here is cancelled
 * </pre>
 *
 * @param <S> the type of the upstream
 */
final class LateUpstream<S> {

    private static final Object ENDED = new Object();
    private static final Object CANCELLED = new Object();

    private static final VarHandle STATE =
            Handles.of(() -> MethodHandles.lookup().findVarHandle(LateUpstream.class, "state", Object.class));

    /** The demand that is stored for an upstream that has not arrived. */
    private record StoredDemand(long elements) {

        private static final StoredDemand NOTHING = new StoredDemand(0);

        /** One object for all that wait, as most of them ask for everything. */
        private static final StoredDemand EVERYTHING = new StoredDemand(Long.MAX_VALUE);

        StoredDemand plus(long more) {
            long sum = Demand.sum(elements, more);
            return sum == Long.MAX_VALUE ? EVERYTHING : new StoredDemand(sum);
        }
    }

    private final GatedCall<?, S> call;

    /** The stored demand, the upstream, {@link #ENDED} or {@link #CANCELLED}. */
    private volatile Object state = StoredDemand.NOTHING;

    LateUpstream(GatedCall<?, S> call) {
        this.call = call;
    }

    /**
     * Accepts the upstream, and passes the stored demand to it. If there is one already, or all is over, cancels it instead.
     * Returns false if there is one already, against the protocol. There must be one (§2.13).
     */
    boolean arrives(S upstream) {
        Objects.requireNonNull(upstream, "upstream");
        while (state instanceof StoredDemand demand) {
            if (STATE.compareAndSet(this, demand, upstream)) {
                if (demand.elements > 0) {
                    call.requestFromSource(upstream, demand.elements);
                }
                return true;
            }
        }
        call.cancelSource(upstream);
        return isOver();
    }

    /** Requests elements from the upstream, or stores the demand if it has not arrived. */
    void request(long elements) {
        while (state instanceof StoredDemand demand) {
            if (STATE.compareAndSet(this, demand, demand.plus(elements))) {
                return;
            }
        }
        S present = present();
        if (present != null) {
            call.requestFromSource(present, elements);
        }
    }

    /** The upstream has ended, or never will be there. Returns false if all was over already. */
    boolean end() {
        return leave(ENDED) != null;
    }

    /**
     * Cancels the upstream, unless all is over already.
     *
     * @param then called after that, also if the upstream throws
     */
    void cancel(Runnable then) {
        cancel(leave(CANCELLED), then);
    }

    /** The same, but for downstream it is an end. Returns false if all was over already; then nothing is called. */
    boolean endAndCancel(Runnable then) {
        return cancel(leave(ENDED), then);
    }

    private boolean cancel(@Nullable Object last, Runnable then) {
        if (last == null) {
            return false;
        }
        try {
            S present = upstreamOf(last);
            if (present != null) {
                call.cancelSource(present);
            }
        } finally {
            then.run();
        }
        return true;
    }

    /** Goes on to the end or to cancellation, and returns what was there before; null if all is over already. */
    private @Nullable Object leave(Object over) {
        Object last = state;
        while (!isOver(last)) {
            if (STATE.compareAndSet(this, last, over)) {
                return last;
            }
            last = state;
        }
        return null;
    }

    boolean isOver() {
        return isOver(state);
    }

    boolean isEnded() {
        return state == ENDED;
    }

    boolean isCancelled() {
        return state == CANCELLED;
    }

    /** Returns the upstream; null if it has not arrived, or all is over. */
    @Nullable
    S present() {
        return upstreamOf(state);
    }

    /** Returns the demand that is stored for the upstream. */
    long stored() {
        return state instanceof StoredDemand demand ? demand.elements : 0;
    }

    private static boolean isOver(Object state) {
        return state == ENDED || state == CANCELLED;
    }

    @SuppressWarnings("unchecked") // whatever else is stored is the upstream
    private @Nullable S upstreamOf(Object state) {
        return isOver(state) || state instanceof StoredDemand ? null : (S) state;
    }
}
