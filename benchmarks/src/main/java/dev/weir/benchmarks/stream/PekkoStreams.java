package dev.weir.benchmarks.stream;

import java.time.Duration;
import java.util.function.UnaryOperator;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;

/** Streams of Pekko, on its own dispatcher. */
final class PekkoStreams {

    private PekkoStreams() {}

    static Pipe identity() {
        return running(source -> source.map(element -> element));
    }

    static Pipe throttle() {
        return running(source -> source.throttle(1_000_000, Duration.ofMillis(1)));
    }

    private static Pipe running(UnaryOperator<Source<Integer, NotUsed>> operator) {
        ActorSystem system = ActorSystem.create();
        Sink<Integer, java.util.concurrent.CompletionStage<Long>> counting =
                Sink.fold(0L, (count, element) -> count + 1);
        return elements -> operator.apply(Source.range(1, elements))
                .runWith(counting, system)
                .toCompletableFuture()
                .join();
    }
}
