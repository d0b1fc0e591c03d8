package dev.weir.samples.fleet;

import dev.weir.samples.SampleException;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.stream.LongStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Records when the store granted permits, by its own clock, by periodically reading the state of an exact window. */
final class StoreLog {

    private static final String KEY = "weir:v1:{" + FleetNode.NAME + "}:log";
    private static final Duration OFTEN = FleetNode.LIMIT.period().dividedBy(5);

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final Grants grants = new Grants();

    private StoreLog(RedisClient client, StatefulRedisConnection<String, String> connection) {
        this.client = client;
        this.connection = connection;
    }

    /** Connects to the store; an error with a message of one line if it cannot be reached. */
    static Mono<StoreLog> open(RedisURI store) {
        RedisClient client = FleetNode.client(store);
        return Mono.fromCompletionStage(() -> client.connectAsync(StringCodec.UTF8, FleetNode.impatient(store)))
                .map(connection -> new StoreLog(client, connection))
                .onErrorMap(error -> new SampleException("cannot reach the store at " + store + ": " + reason(error)))
                .doOnError(error -> {
                    var unused = client.shutdownAsync();
                });
    }

    Mono<Void> close() {
        return Mono.fromFuture(connection::closeAsync).then(Mono.fromFuture(() -> client.shutdownAsync()));
    }

    /** Reads periodically until the work is done, and once more after it. */
    <T> Mono<T> during(Mono<T> work) {
        Mono<Void> read = connection.reactive().get(KEY).doOnNext(grants::read).then();
        return Mono.using(
                        () -> Flux.interval(OFTEN)
                                .onBackpressureDrop()
                                .concatMap(tick -> read.onErrorComplete())
                                .subscribe(),
                        reading -> work,
                        reading -> reading.dispose())
                .flatMap(done -> read.onErrorComplete().thenReturn(done));
    }

    /** Returns when each permit was granted, in nanoseconds. */
    LongStream grants() {
        return grants.nanos();
    }

    private static String reason(Throwable error) {
        Throwable cause = error;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
    }
}
