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
        return new Question(permits, permits, permits, 0, 0, 0, List.of(), List.of(), 0, 0, Untold.NOTHING, false);
    }

    /** Takes or books requests for so many each. */
    static Question book(int one, int requests, long aheadNanos) {
        long all = (long) one * requests;
        return new Question(
                one, all, all, Long.MAX_VALUE, aheadNanos, 0, List.of(), List.of(), 0, 0, Untold.NOTHING, false);
    }

    static Question undo(Slot slot) {
        return new Question(0, 0, 0, 0, 0, 0, List.of(slot), List.of(), 0, 0, Untold.NOTHING, false);
    }

    static Question charge(int permits) {
        return new Question(0, 0, 0, 0, 0, permits, List.of(), List.of(), 0, 0, Untold.NOTHING, false);
    }

    static Question look() {
        return new Question(0, 0, 0, 0, 0, 0, List.of(), List.of(), 0, 0, Untold.NOTHING, false);
    }

    static Question hold(int permits, int wanted) {
        return new Question(
                wanted, wanted, wanted, 0, 0, 0, List.of(), List.of(), permits, permits, Untold.NOTHING, false);
    }

    /** Asks for one thing or another at a time, in microseconds: mostly for permits. */
    static Question any(Limit limit, Duration period, Random random, long now) {
        int one = 1 + random.nextInt(Math.min(4, limit.capacity()));
        int requests = 1 + random.nextInt(3);
        return switch (random.nextInt(12)) {
            case 0 -> charge(1 + random.nextInt(limit.capacity()));
            case 1 -> undo(new Slot(one, now * 1000));
            case 2 -> look();
            case 3 -> book(one, requests, period.toNanos());
            case 4, 5 ->
                new Question(one, (long) one * requests, 0, 0, 0, 0, List.of(), List.of(), 0, 0, Untold.NOTHING, false);
            default -> take(one);
        };
    }
}
