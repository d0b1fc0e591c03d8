package dev.weir.samples.gateway;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The same comparison by the load generator {@code wrk}, if installed: from another process, in alternating runs of a second. */
final class Wrk {

    private static final int ROUNDS = 7;
    private static final Pattern HALF = Pattern.compile("50%\\s+([0-9.]+)(us|ms|s)");
    private static final Pattern MOST = Pattern.compile("99%\\s+([0-9.]+)(us|ms|s)");

    private final Path executable;

    private Wrk(Path executable) {
        this.executable = executable;
    }

    static Optional<Wrk> installed() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .map(folder -> Path.of(folder, "wrk"))
                .filter(Files::isExecutable)
                .findFirst()
                .map(Wrk::new);
    }

    /** Returns the median of all runs, as single samples are not available. Waits for processes on threads that may block. */
    Mono<AddedLatency.Comparison> compare(String url) {
        return Mono.fromCallable(() -> {
                    List<String> without = new ArrayList<>();
                    List<String> with = new ArrayList<>();
                    for (int round = 0; round < ROUNDS; round++) {
                        boolean filterFirst = round % 2 == 0;
                        (filterFirst ? with : without).add(run(url, filterFirst));
                        (filterFirst ? without : with).add(run(url, !filterFirst));
                    }
                    return new AddedLatency.Comparison(
                            "medians of " + ROUNDS + " runs of wrk each, in turn",
                            median(HALF, without),
                            median(MOST, without),
                            median(HALF, with),
                            median(MOST, with));
                })
                .subscribeOn(Schedulers.boundedElastic());
    }

    private String run(String url, boolean hasFilter) throws IOException {
        String target = url + (hasFilter ? AddedLatency.WITH : AddedLatency.WITHOUT);
        Process process = new ProcessBuilder(executable.toString(), "-t1", "-c2", "-d1s", "--latency", target)
                .redirectErrorStream(true)
                .start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    private static double median(Pattern percentile, List<String> reports) {
        return reports.stream()
                .mapToDouble(report -> millis(percentile, report))
                .sorted()
                .toArray()[reports.size() / 2];
    }

    static double millis(Pattern percentile, String report) {
        Matcher found = percentile.matcher(report);
        if (!found.find()) {
            throw new IllegalStateException("wrk has said: " + report);
        }
        double number = Double.parseDouble(found.group(1));
        return switch (found.group(2)) {
            case "us" -> number / 1_000;
            case "ms" -> number;
            default -> number * 1_000;
        };
    }
}
