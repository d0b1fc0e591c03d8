package dev.weir.benchmarks.run;

/**
 * How long to measure.
 *
 * @param quickRounds how often what is quick to measure is done; all contenders take turns, so that no noise falls on one alone
 * @param slowRounds how often the rest is done
 * @param iterations how many times a virtual machine measures, after as many to warm up
 * @param millis how long each of these takes
 * @param streamMillis how long it takes where a single operation is a whole stream
 * @param shapingWarmupMillis how long a shaped stream flows before it is looked at
 * @param shapingMillis for how long it is looked at
 * @param waiters the most requests that wait at once, and the most keys
 * @param streams the most streams on one limiter
 */
public record Effort(
        int quickRounds,
        int slowRounds,
        int iterations,
        int millis,
        int streamMillis,
        int shapingWarmupMillis,
        int shapingMillis,
        int waiters,
        int streams) {

    /** What a run is called. */
    public static Effort of(String name) {
        return switch (name) {
            case "instant" -> new Effort(1, 1, 1, 10, 10, 20, 60, 1_000, 10);
            case "short" -> new Effort(2, 1, 4, 60, 180, 500, 1_200, 1_000_000, 10_000);
            case "long" -> new Effort(5, 3, 5, 500, 1_000, 2_000, 5_000, 1_000_000, 10_000);
            default -> throw new IllegalArgumentException("instant, short or long, but not " + name);
        };
    }
}
