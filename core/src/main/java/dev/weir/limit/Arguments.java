package dev.weir.limit;

import java.math.BigInteger;
import java.time.Duration;
import java.util.Objects;

/** Checks the arguments of limits. The exceptions name the argument, its value and what is allowed. */
final class Arguments {

    /**
     * The longest period: 2^61 - 1 nanoseconds, about 73 years. Leaves policies two bits of a {@code long} for their own marks,
     * and allows sums of two periods without overflow.
     */
    static final long MAX_PERIOD_NANOS = (1L << 61) - 1;

    private Arguments() {}

    static void positive(int count, String name) {
        if (count < 1) {
            throw new IllegalArgumentException(name + " must be at least 1, but is " + count);
        }
    }

    static void fromZero(int count, int most, String name) {
        if (count < 0 || count > most) {
            throw new IllegalArgumentException(name + " must be between 0 and " + most + ", but is " + count);
        }
    }

    static void positive(Duration duration, String name) {
        Objects.requireNonNull(duration, name);
        if (duration.isZero() || duration.isNegative()) {
            throw new IllegalArgumentException(name + " must be positive, but is " + duration);
        }
        if (duration.compareTo(Duration.ofNanos(MAX_PERIOD_NANOS)) > 0) {
            throw new IllegalArgumentException(
                    name + " must be at most " + Duration.ofNanos(MAX_PERIOD_NANOS) + ", but is " + duration);
        }
    }

    /** Checks that {@code burst} permits, at {@code permits} per {@code period}, take no longer than the longest period. */
    static void fits(long burst, int permits, Duration period, String expression) {
        BigInteger longest = BigInteger.valueOf(MAX_PERIOD_NANOS).multiply(BigInteger.valueOf(permits));
        BigInteger asked = BigInteger.valueOf(period.toNanos()).multiply(BigInteger.valueOf(burst));
        if (asked.compareTo(longest) > 0) {
            throw new IllegalArgumentException(expression + " must be at most " + Duration.ofNanos(MAX_PERIOD_NANOS)
                    + ", but is " + burst + " * " + period + " / " + permits);
        }
    }
}
