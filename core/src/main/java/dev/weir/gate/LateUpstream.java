package dev.weir.gate;

import dev.weir.handle.Handles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The upstream of a gated call, which arrives only when the call has begun. Demand that arrives before is stored. Any thread.
 *
 * <pre>
 *   StoredDemand --arrives--&gt; upstream
 *     |                           |
 *     +-------end, cancel---------+--&gt; OVER     an upstream that arrives here is cancelled
 * </pre>
 *
 * @param <S> the type of the upstream
 */
public final class LateUpstream<S> {

    private static final Object OVER = new Object();

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

    private final ObjLongConsumer<S> request;
    private final Consumer<S> cancel;

    /** The stored demand, the upstream, or {@link #OVER}. */
    private volatile Object state = StoredDemand.NOTHING;

    /**
     * Creates the upstream of one subscription.
     *
     * @param request requests elements from the upstream; does nothing if it has no demand
     * @param cancel cancels the upstream
     */
    public LateUpstream(ObjLongConsumer<S> request, Consumer<S> cancel) {
        this.request = request;
        this.cancel = cancel;
    }

    /**
     * Accepts the upstream, and passes the stored demand to it. If there is one already, or all is over, cancels it instead.
     *
     * @param upstream the upstream
     * @return false if there is one already, against the protocol
     * @throws NullPointerException if there is none, as Reactive Streams requires (§2.13)
     */
    public boolean arrives(S upstream) {
        Objects.requireNonNull(upstream, "upstream");
        while (state instanceof StoredDemand demand) {
            if (STATE.compareAndSet(this, demand, upstream)) {
                if (demand.elements > 0) {
                    request.accept(upstream, demand.elements);
                }
                return true;
            }
        }
        cancel.accept(upstream);
        return isOver();
    }

    /**
     * Requests elements from the upstream, or stores the demand if it has not arrived.
     *
     * @param elements how many more, positive
     */
    public void request(long elements) {
        while (state instanceof StoredDemand demand) {
            if (STATE.compareAndSet(this, demand, demand.plus(elements))) {
                return;
            }
        }
        S present = present();
        if (present != null) {
            request.accept(present, elements);
        }
    }

    /**
     * Signals that the upstream has ended, or never will be there.
     *
     * @return false if all was over already
     */
    public boolean end() {
        return STATE.getAndSet(this, OVER) != OVER;
    }

    /**
     * Cancels the upstream, unless all is over already.
     *
     * @param then called after that, also if the upstream throws
     * @return false if all was over already; then nothing is called
     */
    public boolean cancel(Runnable then) {
        Object last = STATE.getAndSet(this, OVER);
        if (last == OVER) {
            return false;
        }
        try {
            S present = upstreamOf(last);
            if (present != null) {
                cancel.accept(present);
            }
        } finally {
            then.run();
        }
        return true;
    }

    /** {@return whether it has ended or was cancelled} */
    public boolean isOver() {
        return state == OVER;
    }

    /** {@return the upstream; null if it has not arrived, or all is over} */
    public @Nullable S present() {
        return upstreamOf(state);
    }

    /** {@return the demand that is stored for the upstream} */
    public long stored() {
        return state instanceof StoredDemand demand ? demand.elements : 0;
    }

    @SuppressWarnings("unchecked") // whatever else is stored is the upstream
    private @Nullable S upstreamOf(@Nullable Object state) {
        return state == OVER || state instanceof StoredDemand ? null : (S) state;
    }
}
