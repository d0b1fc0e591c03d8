package dev.weir.redis;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** Questions of one thing at a time. */
final class Questions {

    private Questions() {}

    /** Takes so many if they are there. */
    static Question take(int permits) {
        return taking(new Wanted(Sizes.all(permits), permits, permits, 0, 0));
    }

    /** Takes or books requests for so many each. */
    static Question book(int one, int requests, long aheadNanos) {
        long all = (long) one * requests;
        return taking(new Wanted(Sizes.all(one), all, all, Long.MAX_VALUE, aheadNanos));
    }

    static Question taking(Wanted wanted) {
        return new Question(wanted, Owed.NOTHING, List.of(), List.of(), 0, 0, false);
    }

    /** Booked for one request. */
    static Slot booked(int permits, long atNanos) {
        return new Slot(permits, atNanos, false, permits, false);
    }

    static Question undo(Slot... slots) {
        return undo(List.of(slots));
    }

    static Question undo(List<Slot> slots) {
        return telling(slots, List.of());
    }

    /** Looks, and leaves these out. */
    static Question seeing(List<Slot> booked) {
        return telling(List.of(), booked);
    }

    private static Question telling(List<Slot> undone, List<Slot> booked) {
        return new Question(Wanted.NOTHING, Owed.NOTHING, undone, booked, 0, 0, false);
    }

    static Question charge(int permits) {
        return new Question(Wanted.NOTHING, Owed.charged(permits), List.of(), List.of(), 0, 0, false);
    }

    static Question look() {
        return telling(List.of(), List.of());
    }

    static Question hold(int permits, int wanted) {
        return new Question(
                new Wanted(Sizes.all(wanted), wanted, wanted, 0, 0),
                Owed.NOTHING,
                List.of(),
                List.of(),
                permits,
                permits,
                false);
    }

    /** Asks for one thing or another at a time, in microseconds: mostly for permits. */
    static Question any(Limit limit, Duration period, Random random, long now) {
        int one = 1 + random.nextInt(Math.min(4, limit.capacity()));
        int requests = 1 + random.nextInt(3);
        return switch (random.nextInt(12)) {
            case 0 -> charge(1 + random.nextInt(limit.capacity()));
            case 1 -> undo(booked(one, now * 1000));
            case 2 -> look();
            case 3 -> book(one, requests, period.toNanos());
            case 4, 5 -> taking(Wanted.atOnce(one, (long) one * requests));
            default -> take(one);
        };
    }
}
