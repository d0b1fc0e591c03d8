package dev.weir.stream;

import dev.weir.QueueOrder;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Options of a rate-limited stream. Immutable; every setter returns a changed copy.
 *
 * <pre>{@code
 * StreamOptions latest = StreamOptions.defaults().buffer(100).order(QueueOrder.NEWEST_FIRST).whenFull(WhenFull.EVICT_OLDEST);
 * StreamOptions enforced = StreamOptions.defaults().maxWait(ZERO).onRefused(OnRefused.DROP);
 * }</pre>
 *
 * <p>A stream either reads ahead ({@link #prefetch(int)}), for sources that honour demand, or holds what arrives
 * ({@link #buffer(int)}), for sources that do not. If both are set, the buffer takes precedence.
 */
public final class StreamOptions {

    private static final StreamOptions DEFAULTS = new StreamOptions(new Settings());

    private final Settings settings;

    private StreamOptions(Settings settings) {
        this.settings = settings;
    }

    /**
     * Returns the default options: no read-ahead, no buffer, oldest first, unbounded wait, refusals and overflow fail the stream.
     *
     * @return the options
     */
    public static StreamOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Sets how many elements are requested from the source ahead of their permits. With 1, nothing is read ahead: only the
     * element whose permit is awaited is held. That is the default, except where keys have limits of their own. A source that
     * sends more than was requested ends the stream with an error.
     *
     * @param elements at least 1
     * @return a changed copy
     * @throws IllegalArgumentException if less than 1
     */
    public StreamOptions prefetch(int elements) {
        return with(set -> set.prefetch = atLeastOne(elements, "prefetch"));
    }

    /**
     * Requests all elements from the source and holds those that cannot go yet, including the element whose permit is awaited.
     * For sources that do not honour demand. Elements that do not fit are treated as {@link #whenFull(WhenFull)} specifies.
     * {@link #prefetch(int)} is then ignored.
     *
     * @param elements the maximum number of elements held, at least 1; with {@link WhenFull#EVICT_OLDEST} up to twice as many while
     *     downstream is busy with an element, and three times while {@code onDropped} is with one that was evicted
     * @return a changed copy
     * @throws IllegalArgumentException if less than 1
     */
    public StreamOptions buffer(int elements) {
        return with(set -> set.buffer = atLeastOne(elements, "buffer"));
    }

    /**
     * Sets which of the held elements goes when a permit is granted; it is chosen at that moment, not on arrival. Matters only if
     * more than one element is held: with {@link #buffer(int)}, or {@link #prefetch(int)} above one. Independent of the queue order
     * of the limiter, which is about whole requests, of which a stream has one at a time, or one for each key.
     *
     * @param order the order; by default, oldest first
     * @return a changed copy
     */
    public StreamOptions order(QueueOrder order) {
        return with(set -> set.order = Objects.requireNonNull(order, "order"));
    }

    /**
     * Sets what happens to an element for which the {@link #buffer(int)} has no room. Has no effect without a buffer,
     * which an {@code Observable} always has.
     *
     * @param whenFull what happens; by default, the stream fails
     * @return a changed copy
     */
    public StreamOptions whenFull(WhenFull whenFull) {
        return with(set -> set.whenFull = Objects.requireNonNull(whenFull, "whenFull"));
    }

    /**
     * Sets the maximum wait for the permit of each element or call. It counts from when the permit is asked for, that is, when
     * the element becomes the next to go: time spent in the buffer behind other elements does not count.
     *
     * @param maxWait the longest wait; with {@link Duration#ZERO} nothing is delayed, but by the answer of a store that keeps the
     *     permits, and whatever exceeds the limit is refused; by default, no bound
     * @return a changed copy
     * @throws IllegalArgumentException if negative
     */
    public StreamOptions maxWait(Duration maxWait) {
        if (Objects.requireNonNull(maxWait, "maxWait").isNegative()) {
            throw new IllegalArgumentException("maxWait must not be negative, but is " + maxWait);
        }
        return with(set -> set.maxWait = Optional.of(maxWait));
    }

    /**
     * Sets what happens when a permit is refused. A closed limiter fails the stream in any case, and so does a timer that takes no
     * more tasks.
     *
     * @param onRefused what happens; by default, the stream fails
     * @return a changed copy
     */
    public StreamOptions onRefused(OnRefused onRefused) {
        return with(set -> set.onRefused = Objects.requireNonNull(onRefused, "onRefused"));
    }

    /**
     * Sets a consumer that receives every element that is not delivered: evicted, rejected, refused, cancelled, cut off by an
     * error, arrived after cancel, or with a cost or key that could not be computed. It receives each of them exactly once.
     *
     * @param onDropped called on the thread that drops the element; if it throws, the source is cancelled and the stream ends
     * @return a changed copy
     */
    public StreamOptions onDropped(Consumer<Object> onDropped) {
        return with(set -> set.onDropped = Optional.of(Objects.requireNonNull(onDropped, "onDropped")));
    }

    /**
     * Switches on (a setter; the getter is {@link #isErrorsCutAhead}): an error overtakes the held elements, which are dropped.
     * That is one of the source, of a full buffer ({@link WhenFull#FAIL}), of a source that sends more than was requested, or of a
     * cost or key that could not be computed. By default the error comes after them.
     *
     * @return a changed copy
     */
    public StreamOptions errorsCutAhead() {
        return with(set -> set.errorsCutAhead = true);
    }

    /**
     * Sets the executor on which elements continue, and calls begin, after a wait, whether the limiter is shared or the stream's
     * own. It may have many threads: the signals of one stream never overlap and keep their order. {@code Runnable::run} means the
     * granting thread, which belongs to another user if the limiter is shared; use it only in tests.
     *
     * @param executor the executor; if it throws, the stream fails; by default, the framework's usual scheduler, on a worker of
     *     this stream's own if the limiter is shared
     * @return a changed copy
     */
    public StreamOptions emitOn(Executor executor) {
        return with(set -> set.emitOn = Optional.of(Objects.requireNonNull(executor, "executor")));
    }

    /**
     * Returns how many elements are requested ahead of their permits.
     *
     * @return at least 1; 1 if not set, which means no read-ahead, but {@code perKey} then uses 256
     */
    public int prefetch() {
        return prefetchOr(1);
    }

    /**
     * Returns how many elements are requested ahead of their permits, if {@link #prefetch(int)} was set.
     *
     * @param unlessSet what to return otherwise
     * @return the value set, at least 1, or {@code unlessSet}
     */
    public int prefetchOr(int unlessSet) {
        return settings.prefetch == 0 ? unlessSet : settings.prefetch;
    }

    /**
     * Returns how many elements are held of a source that does not honour demand.
     *
     * @return at least 1, or 0 if there is no buffer
     */
    public int buffer() {
        return settings.buffer;
    }

    /**
     * Returns which element goes first.
     *
     * @return the order
     */
    public QueueOrder order() {
        return settings.order;
    }

    /**
     * Returns what happens when the buffer is full.
     *
     * @return the choice
     */
    public WhenFull whenFull() {
        return settings.whenFull;
    }

    /**
     * Returns the longest wait.
     *
     * @return the bound, if any
     */
    public Optional<Duration> maxWait() {
        return settings.maxWait;
    }

    /**
     * Returns what happens when a permit is refused.
     *
     * @return the choice
     */
    public OnRefused onRefused() {
        return settings.onRefused;
    }

    /**
     * Returns the consumer of elements that are not delivered.
     *
     * @return the consumer, if any
     */
    public Optional<Consumer<Object>> onDropped() {
        return settings.onDropped;
    }

    /**
     * Returns whether errors overtake held elements.
     *
     * @return whether they do
     */
    public boolean isErrorsCutAhead() {
        return settings.errorsCutAhead;
    }

    /**
     * Returns the executor on which elements continue after a wait.
     *
     * @return the executor, if set
     */
    public Optional<Executor> emitOn() {
        return settings.emitOn;
    }

    @Override
    public String toString() {
        return "StreamOptions[prefetch=" + (settings.prefetch == 0 ? "default" : settings.prefetch) + ", buffer="
                + settings.buffer + ", order=" + settings.order + ", whenFull=" + settings.whenFull + ", maxWait="
                + settings.maxWait.map(Duration::toString).orElse("none") + ", onRefused=" + settings.onRefused
                + ", errorsCutAhead=" + settings.errorsCutAhead + "]";
    }

    private StreamOptions with(Consumer<Settings> change) {
        Settings changed = new Settings(settings);
        change.accept(changed);
        return new StreamOptions(changed);
    }

    private static int atLeastOne(int elements, String name) {
        if (elements < 1) {
            throw new IllegalArgumentException(name + " must be at least 1, but is " + elements);
        }
        return elements;
    }

    /** What is set; written only before options are made of it, whose final field shows it to all threads. */
    private static final class Settings {

        /** Zero if not set. */
        private int prefetch;

        private int buffer;
        private QueueOrder order = QueueOrder.OLDEST_FIRST;
        private WhenFull whenFull = WhenFull.FAIL;
        private Optional<Duration> maxWait = Optional.empty();
        private OnRefused onRefused = OnRefused.FAIL;
        private Optional<Consumer<Object>> onDropped = Optional.empty();
        private boolean errorsCutAhead;
        private Optional<Executor> emitOn = Optional.empty();

        Settings() {}

        Settings(Settings from) {
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
