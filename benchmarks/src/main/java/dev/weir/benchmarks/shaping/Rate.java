package dev.weir.benchmarks.shaping;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * What may pass: as many a second, in one of two ways.
 *
 * @param perSecond how many elements; a multiple of 100
 * @param shape how they are spread
 */
public record Rate(int perSecond, Shape shape) {

    static final Duration WINDOW = Duration.ofMillis(10);

    /** How elements are spread over time. */
    public enum Shape {
        /** As many as a window may hold in every window of 10 ms, as they come. */
        WINDOWS,
        /** One by one at equal distances. */
        EVEN
    }

    boolean isEven() {
        return shape == Shape.EVEN;
    }

    /** How many elements a window of 10 ms may hold. */
    int perWindow() {
        return Math.toIntExact(perSecond * WINDOW.toNanos() / TimeUnit.SECONDS.toNanos(1));
    }

    /** How many elements go together. */
    int step() {
        return isEven() ? 1 : perWindow();
    }

    /** How far such steps are apart. */
    Duration distance() {
        return isEven() ? Duration.ofNanos(TimeUnit.SECONDS.toNanos(1) / perSecond) : WINDOW;
    }

    /** How many late elements may be caught up where a contender has slack: what 5 ms bring. */
    int slack() {
        return perSecond / 200;
    }
}
