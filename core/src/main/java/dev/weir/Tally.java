package dev.weir;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
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
     * No place is ever empty, as each question that need not be asked leaves the compiler more room to inline who counts.
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

    /** No thread has this number. */
    private static final Cell NOBODYS = new Cell(Long.MIN_VALUE);

    private final Cell[] cells = new Cell[PLACES];
    private final LongAdder acquiredByOthers = new LongAdder();
    private final LongAdder refusedByOthers = new LongAdder();

    Tally() {
        Arrays.fill(cells, NOBODYS);
    }

    /** The cell of the calling thread, or null if it has none. */
    @Nullable
    Cell cell() {
        long self = Thread.currentThread().getId();
        Cell cell = cells[placeOf(self)];
        return cell.owner == self ? cell : cellFor(self);
    }

    private @Nullable Cell cellFor(long thread) {
        int place = placeOf(thread);
        if (cells[place] != NOBODYS) {
            return null;
        }
        Cell made = new Cell(thread);
        return CELL.compareAndSet(cells, place, NOBODYS, made) ? made : null;
    }

    private static int placeOf(long thread) {
        return (int) thread & (PLACES - 1);
    }

    void add(long granted, long denied) {
        Cell mine = cell();
        if (mine == null) {
            addBesideOthers(granted, denied);
        } else {
            mine.add(granted, denied);
        }
    }

    private void addBesideOthers(long granted, long denied) {
        if (granted != 0) {
            acquiredByOthers.add(granted);
        }
        if (denied != 0) {
            refusedByOthers.add(denied);
        }
    }

    long acquired() {
        long sum = acquiredByOthers.sum();
        for (Cell cell : cells) {
            sum += (long) ACQUIRED.getOpaque(cell);
        }
        return sum;
    }

    long refused() {
        long sum = refusedByOthers.sum();
        for (Cell cell : cells) {
            sum += (long) REFUSED.getOpaque(cell);
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

        void add(long granted, long denied) {
            if (granted != 0) {
                ACQUIRED.setOpaque(this, acquired + granted);
            }
            if (denied != 0) {
                REFUSED.setOpaque(this, refused + denied);
            }
        }
    }
}
