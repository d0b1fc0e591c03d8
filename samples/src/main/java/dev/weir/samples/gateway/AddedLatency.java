package dev.weir.samples.gateway;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Measures the latency that a filter that never refuses adds to a request, compared with the same handler without a filter. Both
 * are called in small alternating batches, and the order changes every round, so that other load on the machine affects both
 * equally. The percentiles are over all samples of each.
 */
final class AddedLatency {

    static final String WITHOUT = "/free";
    static final String WITH = "/open";

    private static final int BATCH = 100;
    private static final int WARM_UP_ROUNDS = 10;
    private static final int CALM_CONNECTIONS = 2;

    private final WebClient client;
    private final int rounds;

    AddedLatency(WebClient client, int samples) {
        this.client = client;
        this.rounds = Math.max(1, samples / BATCH);
    }

    /** The latency of one request. */
    private record Sample(boolean hasFilter, int round, long nanos) {}

    /**
     * Latency percentiles of requests, in milliseconds.
     *
     * @param by what measured them
     */
    record Comparison(String by, double halfWithout, double mostWithout, double halfWith, double mostWith) {

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "p50 and p99 without a filter: %.2f and %.2f ms, behind one that does not refuse: %.2f and %.2f ms (%s)%n"
                            + "p99 added by the filter: %.2f ms",
                    halfWithout,
                    mostWithout,
                    halfWith,
                    mostWith,
                    by,
                    mostWith - mostWithout);
        }
    }

    Mono<Comparison> measure() {
        return Flux.range(0, 2 * (WARM_UP_ROUNDS + rounds))
                .concatMap(batch -> batch(batch / 2, batch % 4 == 0 || batch % 4 == 3))
                .filter(sample -> sample.round() >= WARM_UP_ROUNDS)
                .collectList()
                .map(this::compare);
    }

    private Flux<Sample> batch(int round, boolean hasFilter) {
        return Flux.range(0, BATCH).flatMap(number -> timed(round, hasFilter), CALM_CONNECTIONS);
    }

    private Mono<Sample> timed(int round, boolean hasFilter) {
        return Mono.defer(() -> {
            long begin = System.nanoTime();
            return client.get()
                    .uri(hasFilter ? WITH : WITHOUT)
                    .retrieve()
                    .toBodilessEntity()
                    .map(answer -> new Sample(hasFilter, round, System.nanoTime() - begin));
        });
    }

    private Comparison compare(List<Sample> samples) {
        List<Sample> sorted = new ArrayList<>(samples);
        sorted.sort(Comparator.comparingLong(Sample::nanos));
        List<Sample> without =
                sorted.stream().filter(sample -> !sample.hasFilter()).toList();
        List<Sample> with = sorted.stream().filter(Sample::hasFilter).toList();
        return new Comparison(
                String.format(Locale.ROOT, "%,d requests each, in turn", with.size()),
                millis(without, 50),
                millis(without, 99),
                millis(with, 50),
                millis(with, 99));
    }

    private static double millis(List<Sample> sorted, int percent) {
        return sorted.get((int) ((long) sorted.size() * percent / 100)).nanos() / 1e6;
    }
}
