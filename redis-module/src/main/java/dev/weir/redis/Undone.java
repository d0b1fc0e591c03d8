package dev.weir.redis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Permits to give back to the store: an immutable list with a shared tail, so that adding a slot takes constant time. Its size is the
 * number of slots; for a limit that counts requests, that of their requests, as the store is told of each.
 */
final class Undone {

    static final Undone NOTHING = new Undone(false, null, null, 0);
    static final Undone NO_CALLS = new Undone(true, null, null, 0);

    private final boolean ofCalls;
    private final @Nullable Slot latest;
    private final @Nullable Undone before;
    private final long size;

    private Undone(boolean ofCalls, @Nullable Slot latest, @Nullable Undone before, long size) {
        this.ofCalls = ofCalls;
        this.latest = latest;
        this.before = before;
        this.size = size;
    }

    Undone with(Slot slot) {
        return new Undone(ofCalls, slot, this, size + size(slot));
    }

    Undone with(List<Slot> slots) {
        Undone more = this;
        for (Slot slot : slots) {
            more = more.with(slot);
        }
        return more;
    }

    private long size(Slot slot) {
        return ofCalls ? slot.calls() : 1;
    }

    Undone without() {
        return ofCalls ? NO_CALLS : NOTHING;
    }

    boolean isEmpty() {
        return size == 0;
    }

    boolean isMoreThan(int most) {
        return size > most;
    }

    /**
     * Returns the latest slots, oldest first: bookings are given back in order of time, and have to be undone in reverse. Of a slot
     * that is too large, returns as many requests as fit.
     */
    List<Slot> latest(int most) {
        List<Slot> some = new ArrayList<>();
        Undone left = this;
        for (long room = most; room > 0 && !left.isEmpty(); left = left.before()) {
            Slot slot = left.latest();
            some.add(size(slot) > room ? slot.calls(room) : slot);
            room -= size(slot);
        }
        Collections.reverse(some);
        return some;
    }

    /** Returns what is left after the latest slots, as returned by latest. */
    Undone withoutLatest(int most) {
        Undone left = this;
        long room = most;
        while (room > 0 && !left.isEmpty()) {
            Slot slot = left.latest();
            left = size(slot) > room ? left.before().with(slot.withoutCalls(room)) : left.before();
            room -= size(slot);
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
