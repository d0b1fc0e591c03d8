package dev.weir.redis;

import java.util.ArrayList;
import java.util.List;

/**
 * The store's answer to a {@link Question}. Durations count from the time of the answer.
 *
 * @param nowNanos the time on the clock of the store
 * @param granted permits that were taken and may be used now
 * @param waitNanos until the first request that got nothing could be granted; {@link #UNKNOWN} if that does not depend on time alone
 * @param available permits that could still be taken one by one; negative while in debt
 * @param nextNanos until one more than that, and at least one, is available, or {@link #UNKNOWN}
 * @param largestNanos until enough are available for the largest request, or {@link #UNKNOWN}
 * @param fullNanos until the limit is as good as new, or {@link #UNKNOWN}
 * @param bookings permits taken for later, in order of time
 */
record Answer(
        long nowNanos,
        long granted,
        long waitNanos,
        long available,
        long nextNanos,
        long largestNanos,
        long fullNanos,
        List<Booking> bookings) {

    static final long UNKNOWN = -1;

    /**
     * Parses the reply of a script.
     *
     * @throws NumberFormatException if it is malformed
     */
    static Answer of(String line) {
        NumbersInLine numbers = new NumbersInLine(line);
        long now = nanos(numbers.next());
        long granted = numbers.next();
        long wait = nanos(numbers.next());
        long available = numbers.next();
        long next = nanos(numbers.next());
        long largest = nanos(numbers.next());
        long full = nanos(numbers.next());
        return new Answer(now, granted, wait, available, next, largest, full, bookings(numbers));
    }

    private static List<Booking> bookings(NumbersInLine numbers) {
        if (!numbers.hasNext()) {
            return List.of();
        }
        List<Booking> bookings = new ArrayList<>();
        while (numbers.hasNext()) {
            bookings.add(new Booking(nanos(numbers.next()), (int) numbers.next()));
        }
        return bookings;
    }

    /** Returns how many permits were taken, to be used now or later. */
    long gained() {
        long gained = granted;
        for (Booking booking : bookings) {
            gained += booking.permits();
        }
        return gained;
    }

    private static long nanos(long micros) {
        return micros < 0 ? UNKNOWN : Math.min(micros, Long.MAX_VALUE / 2000) * 1000;
    }

    /**
     * Permits taken for later.
     *
     * @param inNanos until they may be used
     * @param permits how many
     */
    record Booking(long inNanos, int permits) {}
}
