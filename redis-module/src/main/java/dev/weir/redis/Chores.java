package dev.weir.redis;

import dev.weir.time.TimeSource;
import java.util.concurrent.atomic.AtomicBoolean;

/** What is done for one limit later, though nobody asks: what is held is renewed, what nobody came for goes back, the store is looked for. */
final class Chores {

    private static final long SOON_NANOS = 1_000_000;

    private final Trips trips;
    private final Node node;
    private final TimeSource time;
    private final long renewNanos;
    private final long lifeNanos;
    private final AtomicBoolean renewing = new AtomicBoolean();
    private final AtomicBoolean dropping = new AtomicBoolean();
    private final AtomicBoolean comingBack = new AtomicBoolean();
    private final AtomicBoolean looking = new AtomicBoolean();
    private final AtomicBoolean telling = new AtomicBoolean();

    /** Renews nothing, and keeps everything, where the time to renew is zero. */
    Chores(Trips trips, Node node, TimeSource time, long renewNanos, long lifeNanos) {
        this.trips = trips;
        this.node = node;
        this.time = time;
        this.renewNanos = renewNanos;
        this.lifeNanos = lifeNanos;
    }

    /** Has what is held renewed in time. To be called with what there is after an answer. */
    void renewLater(FleetState now) {
        if (renewNanos > 0 && now.isHolding() && renewing.compareAndSet(false, true)) {
            node.holds(trips);
            later(this::renew, renewNanos, renewing);
        }
    }

    private void renew() {
        node.holdsNothing(trips);
        renewing.set(false);
        if (trips.state().isHolding()) {
            trips.tell((seen, next) -> next.renew());
            renewLater(trips.state());
        }
    }

    /** Permits are not kept for somebody who does not come, as others may wait for them; those leased ahead are, for their time. */
    void dropLater(FleetState now) {
        if (!now.hand().isEmpty() && dropping.compareAndSet(false, true)) {
            later(this::dropStale, lifeNanos + 1, dropping);
        }
    }

    private void dropStale() {
        dropping.set(false);
        long now = time.nanoTime();
        if (trips.state().hand().hasStale(now)) {
            trips.tell((seen, next) -> {
                next.undoStale(now);
                next.renew();
            });
        }
        FleetState left = trips.state();
        if (renewNanos > 0 || left.hand().hasStale(now + lifeNanos)) {
            dropLater(left);
        }
    }

    /** Has the store looked for, a while after what left this node alone. */
    void lookLater() {
        lookIn(Circuit.LONGEST_NANOS);
    }

    private void lookIn(long nanos) {
        if (looking.compareAndSet(false, true)) {
            later(this::look, nanos, looking);
        }
    }

    /** Those who ask look themselves, and what is told from now on does: where there is nothing to tell any more, this ends. */
    private void look() {
        looking.set(false);
        FleetState now = trips.state();
        if (now.out == null || now.trip != null || !trips.hasToBeHeardOf()) {
            return; // or the end of the trip has this done again
        }
        long left = now.out.retryNanos() - time.nanoTime();
        if (left > 0) {
            lookIn(left);
        } else {
            trips.tell((seen, next) -> next.renew());
        }
    }

    /** Has told what there is to tell after an answer, unless those do who are about to ask. */
    void tellSoon(FleetState now) {
        if (now.trip == null && now.hasToTell() && telling.compareAndSet(false, true)) {
            later(this::tellWhatIsLeft, SOON_NANOS, telling);
        }
    }

    private void tellWhatIsLeft() {
        telling.set(false);
        if (trips.state().isToTellNow(time)) {
            trips.tell((seen, next) -> {});
        }
    }

    /** Has those who wait looked after then. */
    void comeBackIn(long nanos) {
        if (comingBack.compareAndSet(false, true)) {
            later(this::comeBack, nanos, comingBack);
        }
    }

    private void comeBack() {
        comingBack.set(false);
        trips.serveThoseWhoWait();
    }

    /** Has a task run that is pending from now on, unless there are no more tasks. */
    private void later(Runnable task, long nanos, AtomicBoolean pending) {
        try {
            time.schedule(task, nanos);
        } catch (RuntimeException | Error noMoreTasks) {
            pending.set(false);
        }
    }
}
