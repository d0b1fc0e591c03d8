package dev.weir;

import dev.weir.handle.Handles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts the grants and refusals of one limiter from many threads at once. A limiter that is one of many has none until its
 * counts are very large.
 */
final class Tally {

    /*
     * A compare-and-set for each count would cost much of what a refusal costs. So each cell belongs to one thread, the first that came to
     * the cell's slot; only that thread writes to it, and needs no compare-and-set. Threads that find their slot taken share the
     * adders. Threads created together, such as those of an event loop, have consecutive ids and so a slot each.
     *
     * A thread is identified by its id, which is never reused, so a cell does not keep a thread alive. The cell of a thread that
     * has ended keeps its count. A class of threads that overrides getId(), which Java 17 allows, and tells the id of another thread,
     * may lose counts, of both: they then write to one cell.
     *
     * Slots are never null: one null check less leaves the JIT compiler more room to inline the callers.
     *
     * A reader may see slightly outdated counts of other threads, but sees all that happened before what it has synchronized
     * with.
     */

    private static final int PLACES = 16;

    private static final VarHandle ACQUIRED =
            Handles.of(() -> MethodHandles.lookup().findVarHandle(Cell.class, "acquired", long.class));
    private static final VarHandle REFUSED =
            Handles.of(() -> MethodHandles.lookup().findVarHandle(Cell.class, "refused", long.class));
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(Cell[].class);

    /** The initial cell of each slot; no thread has its id. */
    private static final Cell NOBODYS = new Cell(Long.MIN_VALUE);

    private final Cell[] cells = new Cell[PLACES];
    private final LongAdder acquiredByOthers = new LongAdder();
    private final LongAdder refusedByOthers = new LongAdder();

    Tally() {
        Arrays.fill(cells, NOBODYS);
    }

    /** Returns the cell of the calling thread, or null if it has none. */
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

    /** The counts of one thread, on a cache line that no other thread writes to. */
    static final class Cell {

        final long owner;

        // Padding, never read, like q1 to q7
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
