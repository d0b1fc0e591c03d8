package dev.weir.stream;

import dev.weir.QueueOrder;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * How a stream behaves around its limiter. Immutable; every setter returns a changed copy.
 *
 * <pre>{@code
 * StreamOptions latest = StreamOptions.defaults().buffer(100).order(QueueOrder.NEWEST_FIRST).whenFull(WhenFull.EVICT_OLDEST);
 * StreamOptions enforced = StreamOptions.defaults().maxWait(ZERO).onRefused(OnRefused.DROP);
 * }</pre>
 *
 * <p>A stream either reads ahead ({@link #prefetch(int)}), for sources that wait to be asked, or holds what arrives
 * ({@link #buffer(int)}), for sources that do not. Where both are set, the buffer counts.
 */
public final class StreamOptions {

    private static final StreamOptions DEFAULTS = new StreamOptions(new Draft());

    /** Zero where it was not set. */
    private final int prefetch;

    private final int buffer;
    private final QueueOrder order;
    private final WhenFull whenFull;
    private final Optional<Duration> maxWait;
    private final OnRefused onRefused;
    private final Optional<Consumer<Object>> onDropped;
    private final boolean errorsCutAhead;
    private final Optional<Executor> emitOn;

    private StreamOptions(Draft draft) {
        this.prefetch = draft.prefetch;
        this.buffer = draft.buffer;
        this.order = draft.order;
        this.whenFull = draft.whenFull;
        this.maxWait = draft.maxWait;
        this.onRefused = draft.onRefused;
        this.onDropped = draft.onDropped;
        this.errorsCutAhead = draft.errorsCutAhead;
        this.emitOn = draft.emitOn;
    }

    /**
     * Returns the usual: no read-ahead, no buffer, oldest first, unbounded wait, every trouble fails the stream.
     *
     * @return the options
     */
    public static StreamOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Sets how many elements are asked of the source ahead of their permits. One reads nothing ahead: what is held is only the
     * element whose permit is awaited. That is the default, but where keys have limits of their own. A source that sends more
     * than it was asked for ends the stream with an error.
     *
     * @param elements at least 1
     * @return a changed copy
     * @throws IllegalArgumentException if less than 1
     */
    public StreamOptions prefetch(int elements) {
        Draft draft = new Draft(this);
        draft.prefetch = atLeastOne(elements, "prefetch");
        return new StreamOptions(draft);
    }

    /**
     * Asks the source for everything and holds what cannot go yet, the element whose permit is awaited included. For sources
     * that do not wait to be asked. What does not fit is treated as {@link #whenFull(WhenFull)} says. Whatever
     * {@link #prefetch(int)} says no longer matters.
     *
     * @param elements the most that is held, at least 1
     * @return a changed copy
     * @throws IllegalArgumentException if less than 1
     */
    public StreamOptions buffer(int elements) {
        Draft draft = new Draft(this);
        draft.buffer = atLeastOne(elements, "buffer");
        return new StreamOptions(draft);
    }

    /**
     * Sets which of the held elements goes when a permit comes; chosen at that moment, not on arrival. Matters where more than
     * one is held: with {@link #buffer(int)}, or {@link #prefetch(int)} above one.
     *
     * @param order unless set, oldest first
     * @return a changed copy
     */
    public StreamOptions order(QueueOrder order) {
        Draft draft = new Draft(this);
        draft.order = Objects.requireNonNull(order, "order");
        return new StreamOptions(draft);
    }

    /**
     * Sets what happens to an element for which the {@link #buffer(int)} has no room. Without a buffer it does not matter.
     *
     * @param whenFull unless set, the stream fails
     * @return a changed copy
     */
    public StreamOptions whenFull(WhenFull whenFull) {
        Draft draft = new Draft(this);
        draft.whenFull = Objects.requireNonNull(whenFull, "whenFull");
        return new StreamOptions(draft);
    }

    /**
     * Bounds the wait for the permit of each element or call. It counts from when the permit is asked for, that is, when the
     * element becomes the next to go: time spent in the buffer behind others does not count.
     *
     * @param maxWait the longest wait; {@link Duration#ZERO} enforces the limit and never delays; unless set, no bound
     * @return a changed copy
     * @throws IllegalArgumentException if negative
     */
    public StreamOptions maxWait(Duration maxWait) {
        if (Objects.requireNonNull(maxWait, "maxWait").isNegative()) {
            throw new IllegalArgumentException("maxWait must not be negative, but is " + maxWait);
        }
        Draft draft = new Draft(this);
        draft.maxWait = Optional.of(maxWait);
        return new StreamOptions(draft);
    }

    /**
     * Sets what a refused permit means for the stream. A limiter that is closed fails it in any case.
     *
     * @param onRefused unless set, the stream fails
     * @return a changed copy
     */
    public StreamOptions onRefused(OnRefused onRefused) {
        Draft draft = new Draft(this);
        draft.onRefused = Objects.requireNonNull(onRefused, "onRefused");
        return new StreamOptions(draft);
    }

    /**
     * Sets who hears of every element that is not delivered: evicted, rejected, refused, cancelled, cut off by an error,
     * too late after cancel, or of a cost or key that could not be computed. Each exactly once.
     *
     * @param onDropped called on whatever thread drops; what it throws cancels the source and ends the stream
     * @return a changed copy
     */
    public StreamOptions onDropped(Consumer<Object> onDropped) {
        Draft draft = new Draft(this);
        draft.onDropped = Optional.of(Objects.requireNonNull(onDropped, "onDropped"));
        return new StreamOptions(draft);
    }

    /**
     * Lets an error of the source overtake the elements held, which are dropped. Otherwise it comes after them.
     *
     * @return a changed copy
     */
    public StreamOptions errorsCutAhead() {
        Draft draft = new Draft(this);
        draft.errorsCutAhead = true;
        return new StreamOptions(draft);
    }

    /**
     * Sets where elements go on, and calls begin, after a wait, be the limiter shared or the stream's own. {@code Runnable::run}
     * means the granting thread, which belongs to somebody else where the limiter is shared: for tests.
     *
     * @param executor if it throws, the stream fails; unless set, the framework's usual scheduler, by a worker of this stream's
     *     own where the limiter is shared
     * @return a changed copy
     */
    public StreamOptions emitOn(Executor executor) {
        Draft draft = new Draft(this);
        draft.emitOn = Optional.of(Objects.requireNonNull(executor, "executor"));
        return new StreamOptions(draft);
    }

    /**
     * Returns how many elements are asked for ahead of their permits.
     *
     * @return at least 1
     */
    public int prefetch() {
        return prefetchOr(1);
    }

    /**
     * Returns how many elements are asked for ahead of their permits, where {@link #prefetch(int)} has said so.
     *
     * @param unlessSet the answer otherwise
     * @return at least 1 where it was set
     */
    public int prefetchOr(int unlessSet) {
        return prefetch == 0 ? unlessSet : prefetch;
    }

    /**
     * Returns how many elements of a source that does not wait are held.
     *
     * @return at least 1, or 0 where the source waits to be asked
     */
    public int buffer() {
        return buffer;
    }

    /**
     * Returns which element goes first.
     *
     * @return the order
     */
    public QueueOrder order() {
        return order;
    }

    /**
     * Returns what happens when the buffer is full.
     *
     * @return the choice
     */
    public WhenFull whenFull() {
        return whenFull;
    }

    /**
     * Returns the longest wait.
     *
     * @return the bound, if any
     */
    public Optional<Duration> maxWait() {
        return maxWait;
    }

    /**
     * Returns what a refused permit means.
     *
     * @return the choice
     */
    public OnRefused onRefused() {
        return onRefused;
    }

    /**
     * Returns who hears of elements that are not delivered.
     *
     * @return the consumer, if any
     */
    public Optional<Consumer<Object>> onDropped() {
        return onDropped;
    }

    /**
     * Tells whether errors overtake what is held.
     *
     * @return whether they do
     */
    public boolean isErrorsCutAhead() {
        return errorsCutAhead;
    }

    /**
     * Returns where elements go on after a wait.
     *
     * @return the executor, if set
     */
    public Optional<Executor> emitOn() {
        return emitOn;
    }

    @Override
    public String toString() {
        return "StreamOptions[prefetch=" + (prefetch == 0 ? "default" : prefetch) + ", buffer=" + buffer + ", order="
                + order
                + ", whenFull=" + whenFull + ", maxWait="
                + maxWait.map(Duration::toString).orElse("none")
                + ", onRefused=" + onRefused + ", errorsCutAhead=" + errorsCutAhead + "]";
    }

    private static int atLeastOne(int elements, String name) {
        if (elements < 1) {
            throw new IllegalArgumentException(name + " must be at least 1, but is " + elements);
        }
        return elements;
    }

    /** The settings while they can still be set: one copy of the list of fields instead of one in every setter. */
    private static final class Draft {

        private int prefetch;
        private int buffer;
        private QueueOrder order = QueueOrder.OLDEST_FIRST;
        private WhenFull whenFull = WhenFull.FAIL;
        private Optional<Duration> maxWait = Optional.empty();
        private OnRefused onRefused = OnRefused.FAIL;
        private Optional<Consumer<Object>> onDropped = Optional.empty();
        private boolean errorsCutAhead;
        private Optional<Executor> emitOn = Optional.empty();

        Draft() {}

        Draft(StreamOptions from) {
            this.prefetch = from.prefetch;
            this.buffer = from.buffer;
            this.order = from.order;
            this.whenFull = from.whenFull;
            this.maxWait = from.maxWait;
            this.onRefused = from.onRefused;
            this.onDropped = from.onDropped;
            this.errorsCutAhead = from.errorsCutAhead;
            this.emitOn = from.emitOn;
        }
    }
}
