package dev.weir.benchmarks.crowd;

import dev.weir.benchmarks.CountingTime;
import dev.weir.benchmarks.Figures;
import dev.weir.benchmarks.ProcessorTime;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;

/**
 * Lets many streams without end share one limit, which a processor can well keep up with, and reckons what each permit costs
 * in processor time. Arguments: contender, how many streams, milliseconds to warm up and to measure.
 */
public final class StreamsRun {

    static final int PER_MILLISECOND = 50;

    private static final long LONGEST_HOLD_UP_NANOS = 10_000_000_000L;
    private static final long LOOK_NANOS = 1_000_000;

    private final CountingTime time = new CountingTime();
    private final LongAdder passed = new LongAdder();

    private StreamsRun() {}

    public static void main(String[] arguments) {
        Figures.tell(measure(
                StreamsContender.valueOf(arguments[0]),
                Integer.parseInt(arguments[1]),
                Integer.parseInt(arguments[2]),
                Integer.parseInt(arguments[3])));
    }

    static Map<String, Double> measure(StreamsContender contender, int streams, int warmupMillis, int millis) {
        StreamsRun run = new StreamsRun();
        Disposable.Composite subscriptions = run.start(contender, streams);
        run.watch(warmupMillis);
        Map<String, Double> figures = run.watch(millis).all();
        subscriptions.dispose();
        return figures;
    }

    private Disposable.Composite start(StreamsContender contender, int streams) {
        Function<Flux<Integer>, Flux<Integer>> operator = contender.operator(time);
        Disposable.Composite subscriptions = Disposables.composite();
        for (int i = 0; i < streams; i++) {
            subscriptions.add(
                    operator.apply(Flux.range(0, Integer.MAX_VALUE)).subscribe(element -> passed.increment()));
        }
        return subscriptions;
    }

    /** For that time, or longer, until something has passed: a machine that does something else may hold up all streams at once. */
    private Figures watch(int millis) {
        long passedBefore = passed.sum();
        long cpuBefore = ProcessorTime.nanos();
        long began = System.nanoTime();
        long until = began + TimeUnit.MILLISECONDS.toNanos(millis);
        long latest = until + LONGEST_HOLD_UP_NANOS;
        for (long now = began;
                now - until < 0 || (passed.sum() == passedBefore && now - latest < 0);
                now = System.nanoTime()) {
            LockSupport.parkNanos(Math.max(until - now, LOOK_NANOS));
        }
        long permits = passed.sum() - passedBefore;
        double cpu = ProcessorTime.nanos() - cpuBefore;
        double expected = (double) PER_MILLISECOND * (System.nanoTime() - began) / TimeUnit.MILLISECONDS.toNanos(1);
        if (permits == 0) {
            throw new IllegalStateException("nothing passed");
        }
        return new Figures()
                .put("permits", (double) permits)
                .put("reached", permits / expected)
                .put("cpuNanos", cpu / permits)
                .put("timers", time.mostPending());
    }
}
