package dev.weir.limit;

import dev.weir.handle.Handles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.UnaryOperator;

/**
 * Counts in windows of time: enforces a {@link FixedWindow}, a {@link SlidingWindowCounter}, or a {@link TokenBucket} that is
 * refilled in steps, which is a window that forgets only as many permits as a step adds.
 */
final class WindowPolicy implements Refilled {

    /*
     * Idea. A window is an object: its beginning, what its predecessor left behind, and a count, which is all that changes. When
     * it is over, the next object takes its place, with the part of the count that is not forgotten: debt, or, if a step adds
     * less than the capacity, what is still missing. Windows in which nothing happens are never created.
     *
     *      open ---- take, give back, charge (CAS of the count) ----> open
     *        |
     *        +------ freeze (see Freezable) ----> frozen ---- CAS of the policy's window ----> replaced
     *
     * Invariants. A count only changes while it is not frozen, so everything counted is in the count of a frozen window.
     * Windows replace each other in the order of their beginnings, and each is made from the frozen count of the one before. A
     * window that begins at first use has not begun while its count is zero; then any later request begins it anew.
     *
     * Races. Any thread that finds a window over or frozen makes the next one; one of them wins, the others continue with that. A
     * thread with an earlier time than the beginning of the window counts in it as of its beginning. Refusals within a window and
     * reads write nothing.
     *
     * References. For weighing the previous window: "How we built rate limiting capable of scaling to millions of domains",
     * Cloudflare, 2017.
     */

    /** Debt beyond this is forgiven. */
    private static final long MOST_USED = (1L << 62) - 1;

    private static final VarHandle WINDOW =
            Handles.of(() -> MethodHandles.lookup().findVarHandle(WindowPolicy.class, "window", Window.class));

    private volatile Window window;

    WindowPolicy(WindowRules rules, int used, long nowNanos) {
        long begin = rules.beginning(nowNanos);
        this.window = Window.of(rules, begin, 0, rules.weighed() ? 0 : nowNanos - begin, used);
    }

    @Override
    public long tryTake(int permits, long nowNanos) {
        if (permits == 0) {
            return nanosUntilOneByOne(1, nowNanos);
        }
        for (; ; ) {
            Window window = this.window;
            WindowRules rules = window.rules;
            long used = window.word();
            long elapsed = nowNanos - window.beginNanos;
            long previous = window.previous();
            if (used < 0 || window.isOver(used, elapsed)) {
                succeed(window, nowNanos);
            } else if (!rules.fits(permits, used, previous, elapsed)) {
                return rules.nanosUntil(permits, used, previous, elapsed);
            } else if (window.change(used, used + permits)) {
                return TAKEN;
            }
        }
    }

    /**
     * Gives back what has not been forgotten yet. If the permits were taken in an earlier window, what steps have added since is
     * deducted: the bucket may have been full, and would have stayed so. A window that forgets all permits has forgotten them,
     * even if it admitted more than the limit does now.
     */
    @Override
    public void giveBack(int permits, int taken, long takenAtNanos, long nowNanos) {
        for (; ; ) {
            Window window = this.window;
            WindowRules rules = window.rules;
            long used = window.word();
            long counted = rules.countedAt(takenAtNanos);
            long before = window.beginNanos - counted;
            if (used < 0 || window.isOver(used, nowNanos - window.beginNanos)) {
                succeed(window, nowNanos);
            } else if (before > 0 && rules.weighed()) {
                if (before > rules.nanos() || replaced(window, frozen -> frozen.lighter(permits))) {
                    return;
                }
            } else {
                long left = before <= 0 ? taken : rules.leftOfTake(taken, counted, window.beginNanos);
                long returned = Math.min(permits, left);
                if (returned == 0 || window.change(used, Math.max(0, used - returned))) {
                    return;
                }
            }
        }
    }

    @Override
    public void charge(int permits, long nowNanos) {
        if (permits <= 0) {
            return;
        }
        for (; ; ) {
            Window window = this.window;
            long used = window.word();
            if (used < 0 || window.isOver(used, nowNanos - window.beginNanos)) {
                succeed(window, nowNanos);
            } else if (window.change(used, Math.min(used + permits, MOST_USED))) {
                return;
            }
        }
    }

    @Override
    public long available(long nowNanos) {
        Window window = this.window.at(nowNanos);
        WindowRules rules = window.rules;
        return rules.capacity() - window.number() - rules.weight(window.previous(), nowNanos - window.beginNanos);
    }

    @Override
    public long nanosUntilOneByOne(long permits, long nowNanos) {
        if (permits <= available(nowNanos)) {
            return 0;
        }
        Window window = this.window.at(nowNanos);
        long elapsed = nowNanos - window.beginNanos;
        return Math.max(0, window.rules.nanosUntilLastOf(permits, window.number(), window.previous(), elapsed));
    }

    /** A lower bound for several permits behind others, if the window is weighted. */
    @Override
    public long nanosUntil(long ahead, int permits, long nowNanos) {
        if (ahead > 0) {
            return nanosUntilOneByOne(ahead + permits, nowNanos);
        }
        Window window = this.window.at(nowNanos);
        return window.nanosUntilFits(permits, nowNanos - window.beginNanos);
    }

    @Override
    public long nanosUntilFull(long nowNanos) {
        Window window = this.window.at(nowNanos);
        return window.nanosUntilFits(window.rules.capacity(), nowNanos - window.beginNanos);
    }

    @Override
    public long nanosSinceFull(long nowNanos) {
        Window window = this.window;
        WindowRules rules = window.rules;
        long full = rules.nanosUntil(rules.capacity(), window.number(), window.previous(), 0);
        return Math.max(0, nowNanos - window.beginNanos - Math.max(full, window.ranNanos()));
    }

    @Override
    public int capacity() {
        return window.rules.capacity();
    }

    @Override
    public void reconfigure(Limit limit, long nowNanos) {
        WindowRules changed = rulesOf(limit);
        while (!replaced(window, frozen -> frozen.next(nowNanos).under(changed, nowNanos))) {}
    }

    private WindowRules rulesOf(Limit limit) {
        WindowRules changed = limit instanceof FixedWindow fixed
                ? WindowRules.of(fixed)
                : limit instanceof SlidingWindowCounter counter
                        ? WindowRules.of(counter)
                        : limit instanceof TokenBucket bucket && bucket.inSteps() ? WindowRules.of(bucket) : null;
        if (changed == null || !changed.isSameKind(window.rules)) {
            throw Kind.mismatch(limit);
        }
        return changed;
    }

    private void succeed(Window old, long nowNanos) {
        replaced(old, frozen -> frozen.next(nowNanos));
    }

    /** Freezes a window and replaces it by its successor. Returns false if another thread did. */
    private boolean replaced(Window old, UnaryOperator<Window> change) {
        old.freeze();
        return WINDOW.compareAndSet(this, old, change.apply(old));
    }

    /**
     * A window of time, and how many permits count in it, which is the number that threads change. For most windows nothing before
     * them matters, and there may be a million of them, so these have no field for that.
     */
    private abstract static class Window extends Freezable {

        final WindowRules rules;
        final long beginNanos;

        Window(WindowRules rules, long beginNanos, long used) {
            super(used);
            this.rules = rules;
            this.beginNanos = beginNanos;
        }

        static Window of(WindowRules rules, long beginNanos, long previous, long ranNanos, long used) {
            if (previous > 0) {
                return new WeighedWindow(rules, beginNanos, previous, used);
            }
            return ranNanos > 0
                    ? new FirstWindow(rules, beginNanos, ranNanos, used)
                    : new PlainWindow(rules, beginNanos, used);
        }

        /** Returns how many permits counted in the previous window, as far as that matters. */
        long previous() {
            return 0;
        }

        /** Returns how long the window had been running when the policy was created or changed. */
        long ranNanos() {
            return 0;
        }

        boolean isOver(long used, long elapsed) {
            return elapsed >= rules.nanos()
                    || (used == 0 && elapsed > 0 && rules.begin() == WindowRules.Begin.AT_FIRST_USE);
        }

        Window at(long nowNanos) {
            return isOver(number(), nowNanos - beginNanos) ? next(nowNanos) : this;
        }

        /** Returns the window of a time, as the successor of this one; a copy if it is the same. */
        Window next(long nowNanos) {
            long used = number();
            long elapsed = nowNanos - beginNanos;
            long later = elapsed < rules.nanos() ? 0 : elapsed / rules.nanos();
            long left = rules.leftAfterWindows(used, later);
            long before = later == 0 ? previous() : rules.before(used, later);
            long ran = later == 0 ? ranNanos() : 0;
            boolean anew = left == 0 && elapsed > 0 && rules.begin() == WindowRules.Begin.AT_FIRST_USE;
            return of(rules, anew ? nowNanos : beginNanos + later * rules.nanos(), before, ran, left);
        }

        /** Returns this window under another limit. If it is over under that, what counts may be as recent as the present. */
        Window under(WindowRules changed, long nowNanos) {
            long elapsed = Math.max(0, nowNanos - beginNanos);
            long now = beginNanos + elapsed;
            boolean kept = elapsed < changed.nanos() && changed.mayBeginWhere(rules);
            long begin = kept ? beginNanos : changed.beginning(now);
            long ran = kept ? ranNanos() : now - begin;
            return of(changed.after(rules, beginNanos, now), begin, previous(), ran, number());
        }

        /** Returns this window with {@code permits} permits of the previous window removed. */
        Window lighter(int permits) {
            return of(rules, beginNanos, Math.max(0, previous() - permits), 0, number());
        }

        long nanosUntilFits(int permits, long elapsed) {
            long used = number();
            return rules.fits(permits, used, previous(), elapsed)
                    ? 0
                    : rules.nanosUntil(permits, used, previous(), elapsed);
        }
    }

    /** A window for which nothing before it matters. */
    private static final class PlainWindow extends Window {

        PlainWindow(WindowRules rules, long beginNanos, long used) {
            super(rules, beginNanos, used);
        }
    }

    /** A window beside which permits of the previous one count. */
    private static final class WeighedWindow extends Window {

        private final long previous;

        WeighedWindow(WindowRules rules, long beginNanos, long previous, long used) {
            super(rules, beginNanos, used);
            this.previous = previous;
        }

        @Override
        long previous() {
            return previous;
        }
    }

    /** The first window of a limit, if it began before the policy was created or changed. */
    private static final class FirstWindow extends Window {

        private final long ranNanos;

        FirstWindow(WindowRules rules, long beginNanos, long ranNanos, long used) {
            super(rules, beginNanos, used);
            this.ranNanos = ranNanos;
        }

        @Override
        long ranNanos() {
            return ranNanos;
        }
    }
}
