package dev.weir.redis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What goes back. Immutable; one that has more shares the rest, so that to add some costs the same however many there are. */
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

    /** The latest, in the order in which they came: what was booked goes back in order of time, and has to be undone the other way round. */
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
