package dev.weir;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The answers of one limiter, counted by many threads at once. A limiter that is one of very many does without until it has
 * counted very much.
 */
final class Tally {

    /*
     * Counting by compare-and-set would double what a refusal costs. So some cells belong to a thread each, the first that
     * came to the cell's place, and its owner adds without any; nobody else writes there. Threads that find their place taken
     * share the adders. Threads that are made together, as those of an event loop, have numbers in a row, and so each its place.
     *
     * A thread is known by its number, which is never given to another, so a cell does not keep a thread alive. The cell of a
     * thread that has ended keeps its count.
     *
     * Whoever reads sees the counts of other threads as of a moment ago, and all that happened before what it has
     * synchronized with.
     */

    private static final int PLACES = 16;

    private static final VarHandle ACQUIRED;
    private static final VarHandle REFUSED;
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(Cell[].class);

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            ACQUIRED = lookup.findVarHandle(Cell.class, "acquired", long.class);
            REFUSED = lookup.findVarHandle(Cell.class, "refused", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Cell[] cells = new Cell[PLACES];
    private final LongAdder acquiredByOthers = new LongAdder();
    private final LongAdder refusedByOthers = new LongAdder();

    /** The cell of the calling thread, or null if it has none. */
    @Nullable
    Cell cell() {
        long self = Thread.currentThread().getId();
        int place = (int) self & (PLACES - 1);
        Cell cell = cells[place];
        if (cell == null) {
            cell = cellFor(self, place);
        }
        return cell.owner == self ? cell : null;
    }

    private Cell cellFor(long thread, int place) {
        Cell made = new Cell(thread);
        Cell before = (Cell) CELL.compareAndExchange(cells, place, null, made);
        return before == null ? made : before;
    }

    void add(long granted, long denied) {
        Cell mine = cell();
        if (granted != 0) {
            addAcquired(mine, granted);
        }
        if (denied != 0) {
            addRefused(mine, denied);
        }
    }

    private void addAcquired(@Nullable Cell mine, long more) {
        if (mine == null) {
            acquiredByOthers.add(more);
        } else {
            ACQUIRED.setOpaque(mine, mine.acquired + more);
        }
    }

    private void addRefused(@Nullable Cell mine, long more) {
        if (mine == null) {
            refusedByOthers.add(more);
        } else {
            REFUSED.setOpaque(mine, mine.refused + more);
        }
    }

    long acquired() {
        long sum = acquiredByOthers.sum();
        for (Cell cell : cells) {
            sum += cell == null ? 0 : (long) ACQUIRED.getOpaque(cell);
        }
        return sum;
    }

    long refused() {
        long sum = refusedByOthers.sum();
        for (Cell cell : cells) {
            sum += cell == null ? 0 : (long) REFUSED.getOpaque(cell);
        }
        return sum;
    }

    /** What one thread has counted, on a cache line that no other thread writes to. */
    static final class Cell {

        final long owner;

        long p1, p2, p3, p4, p5, p6, p7;
        long acquired;
        long refused;
        long q1, q2, q3, q4, q5, q6, q7;

        Cell(long owner) {
            this.owner = owner;
        }
    }
}
