package dev.weir.webflux;

import java.time.Duration;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Checks arguments, and names those that are wrong. */
final class Arguments {

    private Arguments() {}

    /**
     * Returns the arguments.
     *
     * @throws NullPointerException if there is no array, or nothing at a place in it; names that
     */
    static <T> Stream<T> each(T[] arguments, String name) {
        Objects.requireNonNull(arguments, name);
        return IntStream.range(0, arguments.length)
                .mapToObj(i -> Objects.requireNonNull(arguments[i], () -> name + "[" + i + "]"));
    }

    /**
     * Returns the number.
     *
     * @throws IllegalArgumentException if it is less than 1 or greater than {@code most}; names it
     */
    static int upTo(int most, int number, String name) {
        if (number < 1 || number > most) {
            throw new IllegalArgumentException(name + " must be between 1 and " + most + ", but is " + number);
        }
        return number;
    }

    /**
     * Returns the duration.
     *
     * @throws NullPointerException if there is none; names it
     * @throws IllegalArgumentException if it is negative
     */
    static Duration notNegative(Duration duration, String name) {
        if (Objects.requireNonNull(duration, name).isNegative()) {
            throw new IllegalArgumentException(name + " must not be negative, but is " + duration);
        }
        return duration;
    }
}
