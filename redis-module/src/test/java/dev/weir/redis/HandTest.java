package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HandTest {

    private static final long NOW = 1_000;

    private static Grant granted(int permits, long untilNanos) {
        return new Grant(permits, 1, false, 500, NOW, untilNanos);
    }

    private static Grant booked(int permits, int one, long readyNanos) {
        return new Grant(permits, one, true, readyNanos, readyNanos, readyNanos + 100);
    }

    private static Hand of(Grant... held) {
        return Hand.EMPTY.withBooked(List.of(held));
    }

    @Test
    @DisplayName(
            "a hand uses permits that are due in order, and tells when the store recorded the first of those of a request")
    void use() {
        Hand hand = of(granted(2, NOW - 1), booked(3, 1, NOW - 10), booked(3, 1, NOW), booked(3, 1, NOW + 1));
        assertThat(hand.usable(NOW)).isEqualTo(6);
        assertThat(hand.earliestOf(4, NOW).storeNanos()).isEqualTo(NOW - 10);
        assertThat(hand.less(3, NOW).earliestOf(1, NOW).storeNanos()).isEqualTo(NOW);
        assertThat(of(booked(1, 1, NOW), granted(1, NOW)).earliestOf(2, NOW).storeNanos())
                .isEqualTo(500);
        Hand left = hand.less(4, NOW);
        assertThat(left.usable(NOW)).isEqualTo(2);
        assertThat(left.permits()).isEqualTo(7);
        assertThat(left.hasStale(NOW)).isTrue();
        assertThat(left.less(2, NOW).usable(NOW)).isZero();
        assertThat(of(granted(5, NOW)).less(5, NOW).isEmpty()).isTrue();
    }

    @Test
    @DisplayName(
            "of those booked for the same time only as many whole requests go back as are too many, the latest first")
    void beyond() {
        Hand hand = of(granted(4, NOW + 50), booked(6, 2, NOW + 10), booked(6, 2, NOW + 20));
        assertThat(hand.upTo(16).gone()).isEmpty();
        assertThat(hand.upTo(15).gone()).containsExactly(booked(2, 2, NOW + 20));
        Hand.Parted parted = hand.upTo(9);
        assertThat(parted.gone()).containsExactly(booked(6, 2, NOW + 20), booked(2, 2, NOW + 10));
        assertThat(parted.kept().permits()).isEqualTo(8);
        assertThat(parted.kept().all(Grant::booked)).containsExactly(booked(4, 2, NOW + 10));
        assertThat(hand.upTo(0).gone()).as("what is not booked stays").hasSize(2);
        assertThat(hand.upTo(0).kept().all(held -> true)).containsExactly(granted(4, NOW + 50));
    }

    @Test
    @DisplayName("what is kept of a hand and what has gone are all of it, in order")
    void parted() {
        Grant[] all = {granted(4, NOW), booked(3, 3, NOW + 10), booked(2, 2, NOW + 20), booked(3, 3, NOW + 30)};
        Hand hand = of(all);
        assertThat(hand.without(held -> held.one() == 3).gone()).containsExactly(all[1], all[3]);
        assertThat(hand.without(held -> held.one() == 3).kept().all(held -> true))
                .containsExactly(all[0], all[2]);
        assertThat(hand.without(held -> false)).isEqualTo(new Hand.Parted(hand, List.of()));
        assertThat(hand.withoutBefore(2).gone()).containsExactly(all[0], all[1]);
        assertThat(hand.withoutBefore(2).kept().all(held -> true)).containsExactly(all[2], all[3]);
        assertThat(hand.withoutBefore(1).gone()).isEmpty();
        assertThat(hand.withoutBefore(5).kept().isEmpty())
                .as("none of that size")
                .isTrue();
    }

    @Test
    @DisplayName("a hand puts permits where they are used in time, and none if there are none")
    void order() {
        Hand hand = of(granted(1, NOW), booked(1, 1, NOW + 1));
        assertThat(hand.inserting(hand.dueGrants(NOW), List.of(granted(2, NOW))).all(held -> true))
                .containsExactly(granted(1, NOW), granted(2, NOW), booked(1, 1, NOW + 1));
        assertThat(hand.inserting(0, List.of(granted(2, NOW))).all(held -> true).get(0))
                .isEqualTo(granted(2, NOW));
        assertThat(hand.inserting(0, List.of())).isSameAs(hand);
        assertThat(hand.untilBooking(1, NOW)).as("something is due").isEqualTo(-1);
        assertThat(hand.less(1, NOW).untilBooking(1, NOW)).isEqualTo(1);
        assertThat(hand.less(1, NOW).untilBooking(2, NOW)).as("of another size").isEqualTo(-1);
    }

    @Test
    @DisplayName(
            "of many that are alike some are taken in place, but not the last, and not those that others are to be told to fetch for")
    void take() {
        Hand hand = of(granted(5, NOW), granted(2, NOW));
        assertThat(hand.take(2, 5, NOW)).isTrue();
        assertThat(hand.permits()).isEqualTo(5);
        assertThat(hand.usable(NOW)).isEqualTo(5);
        assertThat(hand.unbooked()).isEqualTo(5);
        assertThat(hand.take(1, 5, NOW)).as("less than are to be left").isFalse();
        assertThat(hand.take(3, 0, NOW)).as("the last").isFalse();
        assertThat(hand.take(2, 0, NOW)).isTrue();
        assertThat(hand.first().storeNanos()).isEqualTo(500);
        assertThat(hand.rest().all(held -> true)).containsExactly(granted(1, NOW), granted(2, NOW));
        assertThat(hand.take(0, 0, NOW)).as("ended").isFalse();
        assertThat(hand.rest().all(held -> true))
                .as("if nothing was published")
                .containsExactly(granted(1, NOW), granted(2, NOW));
        assertThat(hand.permits()).isEqualTo(3);
    }

    @Test
    @DisplayName("a hand takes nothing in place that is booked or stale")
    void notInPlace() {
        assertThat(Hand.EMPTY.take(1, 0, NOW)).isFalse();
        assertThat(of(granted(5, NOW - 1)).take(1, 0, NOW)).isFalse();
        assertThat(of(booked(5, 1, NOW)).take(1, 0, NOW)).isFalse();
        assertThat(of(granted(5, NOW), booked(1, 1, NOW + 1)).take(1, 0, NOW)).isFalse();
        assertThat(of(granted(5, NOW), granted(1, NOW - 1)).take(1, 0, NOW)).isFalse();
        assertThat(of(granted(5, NOW), booked(1, 1, NOW)).hasBooked()).isTrue();
        assertThat(of(granted(5, NOW)).hasBooked()).isFalse();
    }

    @Test
    @DisplayName("a hand that threads take from while others end it neither loses nor doubles permits")
    void conserved() throws Exception {
        int permits = 300_000;
        AtomicReference<Hand> latest = new AtomicReference<>(of(granted(permits, NOW)));
        List<Callable<Integer>> threads = new ArrayList<>();
        for (int thread = 0; thread < 3; thread++) {
            threads.add(() -> {
                int taken = 0;
                while (latest.get().permits() > 2) {
                    taken += latest.get().take(2, 0, NOW) ? 2 : 0;
                }
                return taken;
            });
        }
        threads.add(() -> {
            while (latest.get().permits() > 2) {
                Hand before = latest.get();
                latest.compareAndSet(before, before.rest());
            }
            return 0;
        });
        ExecutorService pool = Executors.newFixedThreadPool(threads.size());
        try {
            long taken = 0;
            for (Future<Integer> each : pool.invokeAll(threads)) {
                taken += each.get();
            }
            assertThat(taken + latest.get().permits()).isEqualTo(permits);
        } finally {
            pool.shutdown();
        }
    }
}
