package dev.weir.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Permits to give back to the store: an immutable list with a shared tail, so that adding a slot takes constant time. Its size is the
 * number of slots.
 */
final class Undone {

    static final Undone NOTHING = new Undone(null, null, 0);

    private final @Nullable Slot latest;
    private final @Nullable Undone before;
    private final int size;

    private Undone(@Nullable Slot latest, @Nullable Undone before, int size) {
        this.latest = latest;
        this.before = before;
        this.size = size;
    }

    Undone with(Slot slot) {
        return new Undone(slot, this, size + 1);
    }

    /** Adds what {@link #latest} returned, so that it would return that again. */
    Undone with(List<Slot> latestFirst) {
        Undone more = this;
        for (int i = latestFirst.size() - 1; i >= 0; i--) {
            more = more.with(latestFirst.get(i));
        }
        return more;
    }

    boolean isEmpty() {
        return size == 0;
    }

    boolean isMoreThan(int most) {
        return size > most;
    }

    /** Returns the slots that were added last, the last one first. */
    List<Slot> latest(int most) {
        List<Slot> some = new ArrayList<>();
        Undone left = this;
        for (int room = most; room > 0 && !left.isEmpty(); room--) {
            some.add(left.latest());
            left = left.before();
        }
        return some;
    }

    /** Returns what is left after the latest slots, as returned by latest. */
    Undone withoutLatest(int most) {
        Undone left = this;
        for (int room = most; room > 0 && !left.isEmpty(); room--) {
            left = left.before();
        }
        return left;
    }

    private Slot latest() {
        return Objects.requireNonNull(latest, "latest");
    }

    private Undone before() {
        return Objects.requireNonNull(before, "before");
    }
}
