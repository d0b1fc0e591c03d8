package dev.weir.redis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Permits to give back to the store: an immutable list with a shared tail, so that adding a slot takes constant time. */
final class Undone {

    static final Undone NOTHING = new Undone(null, null, 0);

    private final @Nullable Slot latest;
    private final @Nullable Undone before;
    private final int count;

    private Undone(@Nullable Slot latest, @Nullable Undone before, int count) {
        this.latest = latest;
        this.before = before;
        this.count = count;
    }

    Undone with(Slot slot) {
        return new Undone(slot, this, count + 1);
    }

    Undone with(List<Slot> slots) {
        Undone more = this;
        for (Slot slot : slots) {
            more = more.with(slot);
        }
        return more;
    }

    boolean isEmpty() {
        return count == 0;
    }

    boolean isMoreThan(int most) {
        return count > most;
    }

    /** Returns the latest slots, oldest first: bookings are given back in order of time, and have to be undone in reverse. */
    List<Slot> latest(int most) {
        List<Slot> some = new ArrayList<>(Math.min(most, count));
        Undone left = this;
        while (some.size() < most && !left.isEmpty()) {
            some.add(Objects.requireNonNull(left.latest, "latest"));
            left = left.withoutLatest();
        }
        Collections.reverse(some);
        return some;
    }

    Undone withoutLatest(int some) {
        Undone left = this;
        for (int i = 0; i < some; i++) {
            left = left.withoutLatest();
        }
        return left;
    }

    private Undone withoutLatest() {
        return Objects.requireNonNull(before, "before");
    }
}
