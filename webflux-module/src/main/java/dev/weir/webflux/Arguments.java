package dev.weir.webflux;

import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Checks what is given as several arguments, or as an array. */
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
}
