package dev.weir.samples.gateway;

import dev.weir.samples.Intervals;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;

/** Sends many requests over many connections as fast as they are answered, and reports the results. */
final class Load {

    /** The number of requests from which on wrk is run, too. */
    private static final int MANY = 50_000;

    private final GatewayServer gateway;
    private final GatewayArguments arguments;
    private final ConnectionProvider connections;
    private final WebClient client;
    private final Map<Integer, LongAdder> byStatus = new ConcurrentHashMap<>();
    private final Queue<Integer> retryAfter = new ConcurrentLinkedQueue<>();

    Load(GatewayServer gateway, GatewayArguments arguments) {
        this.gateway = gateway;
        this.arguments = arguments;
        this.connections = ConnectionProvider.builder("load")
                .maxConnections(arguments.connections())
                .pendingAcquireMaxCount(arguments.connections())
                .build();
        this.client = WebClient.builder()
                .baseUrl(gateway.url())
                .clientConnector(new ReactorClientHttpConnector(HttpClient.create(connections)))
                .build();
    }

    /** Returns 0 if all results are as expected, otherwise 1. */
    Mono<Integer> run(PrintStream out) {
        return Mono.usingWhen(Mono.just(connections), open -> measure(out), ConnectionProvider::disposeLater);
    }

    private Mono<Integer> measure(PrintStream out) {
        return Flux.range(0, arguments.requests())
                .flatMap(number -> send("/refuse").doOnNext(this::count), arguments.connections())
                .then(Mono.defer(this::comeBackLater))
                .zipWhen(cameBack -> latencies())
                .map(measured -> report(out, measured.getT1(), measured.getT2()));
    }

    private Mono<Integer> send(String path) {
        return client.get().uri(path).exchangeToMono(response -> {
            int status = response.statusCode().value();
            if (status == 429) {
                String seconds = response.headers().asHttpHeaders().getFirst("Retry-After");
                retryAfter.add(seconds == null ? -1 : Integer.parseInt(seconds));
            }
            return response.releaseBody().thenReturn(status);
        });
    }

    private void count(int status) {
        byStatus.computeIfAbsent(status, absent -> new LongAdder()).increment();
    }

    /** Waits for the longest {@code Retry-After} and asks once more, without competing requests. */
    private Mono<Integer> comeBackLater() {
        int seconds = retryAfter.stream().mapToInt(Integer::intValue).max().orElse(0);
        return Mono.delay(Duration.ofSeconds(seconds)).then(Mono.defer(() -> send("/refuse")));
    }

    private Mono<List<AddedLatency.Comparison>> latencies() {
        Mono<AddedLatency.Comparison> own =
                new AddedLatency(client, Math.min(10_000, arguments.requests() / 5)).measure();
        Mono<AddedLatency.Comparison> byWrk = Mono.justOrEmpty(Wrk.installed())
                .filter(wrk -> arguments.requests() >= MANY)
                .flatMap(wrk -> wrk.compare(gateway.url()));
        return own.concatWith(byWrk).collectList();
    }

    private int report(PrintStream out, int cameBack, List<AddedLatency.Comparison> latencies) {
        int most = Intervals.mostInAny(gateway.grants().stream().mapToLong(Long::longValue), Duration.ofSeconds(1));
        long withoutTime = retryAfter.stream().filter(seconds -> seconds < 1).count();
        out.printf("%,d requests from %d connections%n", arguments.requests(), arguments.connections());
        new TreeMap<>(byStatus).forEach((status, count) -> out.printf("  %d: %,d%n", status, count.sum()));
        out.printf("admitted in any second: at most %,d, the limit is %,d%n", most, arguments.rate());
        out.printf("refusals without Retry-After: %d; after it, alone: %d%n", withoutTime, cameBack);
        latencies.forEach(out::println);
        return most <= arguments.rate() && withoutTime == 0 && cameBack == 200 ? 0 : 1;
    }
}
