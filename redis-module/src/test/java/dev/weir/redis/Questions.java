package dev.weir.redis;

import java.util.List;

/** Questions of one thing at a time. */
final class Questions {

    private Questions() {}

    /** Takes so many if they are there. */
    static Question take(int permits) {
        return new Question(permits, permits, permits, 0, 0, 0, List.of(), List.of(), 0, 0);
    }

    /** Takes or books requests for so many each. */
    static Question book(int one, int requests, long aheadNanos) {
        long all = (long) one * requests;
        return new Question(one, all, all, Long.MAX_VALUE, aheadNanos, 0, List.of(), List.of(), 0, 0);
    }

    static Question undo(Slot slot) {
        return new Question(0, 0, 0, 0, 0, 0, List.of(slot), List.of(), 0, 0);
    }

    static Question charge(int permits) {
        return new Question(0, 0, 0, 0, 0, permits, List.of(), List.of(), 0, 0);
    }

    static Question look() {
        return new Question(0, 0, 0, 0, 0, 0, List.of(), List.of(), 0, 0);
    }

    static Question hold(int permits, int wanted) {
        return new Question(wanted, wanted, wanted, 0, 0, 0, List.of(), List.of(), permits, permits);
    }
}
