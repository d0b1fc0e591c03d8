package dev.weir.benchmarks.run;

/**
 * How long to measure.
 *
 * @param quickRounds how often what is quick to measure is done; all contenders take turns, so that no noise falls on one alone
 * @param slowRounds how often the rest is done
 * @param decisions for decisions
 * @param streams for streams, of which a single operation is a whole one
 * @param shapingWarmupMillis how long what takes real time is under way before it is looked at, or a part of that
 * @param shapingMillis for how long it is looked at, or a part of that
 * @param waiters the most requests that wait at once, and the most keys
 * @param manyStreams the most streams on one limiter
 */
public record Effort(
        int quickRounds,
        int slowRounds,
        Times decisions,
        Times streams,
        int shapingWarmupMillis,
        int shapingMillis,
        int waiters,
        int manyStreams) {

    /**
     * How long a virtual machine measures. All this is for the contender, and once more for its yardstick.
     *
     * @param warmups how many times it warms up: its compiler has to be done with all that matters
     * @param warmupMillis how long each of these takes
     * @param iterations how many times it measures after that
     * @param millis how long each of these takes
     */
    record Times(int warmups, int warmupMillis, int iterations, int millis) {}

    /** What a run is called. */
    public static Effort of(String name) {
        return switch (name) {
            case "instant" -> new Effort(1, 1, new Times(1, 10, 1, 10), new Times(1, 10, 1, 10), 20, 60, 1_000, 10);
            case "short" ->
                new Effort(
                        1, 1, new Times(3, 400, 5, 60), new Times(2, 1_250, 5, 150), 1_000, 1_200, 1_000_000, 10_000);
            case "long" ->
                new Effort(
                        5,
                        3,
                        new Times(2, 1_500, 5, 500),
                        new Times(2, 2_500, 5, 1_000),
                        2_000,
                        5_000,
                        1_000_000,
                        10_000);
            default -> throw new IllegalArgumentException("instant, short or long, but not " + name);
        };
    }
}
