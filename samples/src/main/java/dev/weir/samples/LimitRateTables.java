package dev.weir.samples;

import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.reactor.RateLimit;
import dev.weir.stream.StreamOptions;
import dev.weir.stream.WhenFull;
import dev.weir.testkit.VirtualTimeSource;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/** Prints tables that show the effect of rate limits, as in articles about them; in virtual time, and so without waiting. */
public final class LimitRateTables {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration WORK = Duration.ofMillis(250);
    private static final Duration LONG_ENOUGH = Duration.ofMinutes(1);

    /** Emits items on the thread that grants the permit: in this program, the one that advances the clock. */
    private static final StreamOptions AT_ONCE = StreamOptions.defaults().emitOn(Runnable::run);

    private final PrintStream out;

    private LimitRateTables(PrintStream out) {
        this.out = out;
    }

    /**
     * Prints all tables.
     *
     * @param args none, or {@code --help}
     */
    public static void main(String[] args) {
        System.exit(run(args, System.out, System.err));
    }

    static int run(String[] args, PrintStream out, PrintStream err) {
        if (args.length > 0) {
            return NoArguments.explain("LimitRateTables", args, out, err);
        }
        print(out);
        return 0;
    }

    static void print(PrintStream out) {
        LimitRateTables tables = new LimitRateTables(out);
        tables.calls(10, 1);
        tables.calls(10, 3);
        tables.items(20);
        tables.newestFirst(20);
    }

    /** Callers that repeatedly take a permit and work for a while. */
    private void calls(int calls, int callers) {
        title(calls + " calls of 250 ms each at 2 per second, callers: " + callers);
        out.println("call  caller  begins   ends");
        VirtualTimeSource time = new VirtualTimeSource();
        Calls loop = new Calls(calls, time, limiter(2, time));
        for (int caller = 1; caller <= callers; caller++) {
            loop.next(caller);
        }
        time.advanceBy(LONG_ENOUGH);
    }

    private final class Calls {

        private final int calls;
        private final VirtualTimeSource time;
        private final RateLimiter limiter;
        private int asked;
        private int begun;

        Calls(int calls, VirtualTimeSource time, RateLimiter limiter) {
            this.calls = calls;
            this.time = time;
            this.limiter = limiter;
        }

        void next(int caller) {
            if (asked < calls) {
                asked++;
                limiter.acquire(1, lease -> work(caller));
            }
        }

        private void work(int caller) {
            begun++;
            double begins = seconds(time);
            double ends = begins + WORK.toMillis() / 1e3;
            out.printf(Locale.ROOT, "%4d  %6d  %6.2f  %5.2f%n", begun, caller, begins, ends);
            time.schedule(() -> next(caller), WORK.toNanos());
        }
    }

    /** A stream with backpressure. */
    private void items(int items) {
        title(items + " items at 5 per second");
        out.println("item   goes");
        VirtualTimeSource time = new VirtualTimeSource();
        Flux.range(1, items)
                .transform(RateLimit.with(limiter(5, time), AT_ONCE))
                .subscribe(item -> out.printf(Locale.ROOT, "%4d  %5.2f%n", item, seconds(time)));
        time.advanceBy(LONG_ENOUGH);
    }

    /** A stream without backpressure: each permit goes to the newest item, and a full buffer evicts the oldest. */
    private void newestFirst(int items) {
        title(items + " items, one every 100 ms, at 2 per second, newest first, room for 4");
        VirtualTimeSource time = new VirtualTimeSource();
        Map<Integer, String> fates = new TreeMap<>();
        StreamOptions newestFirst = AT_ONCE.buffer(4)
                .order(QueueOrder.NEWEST_FIRST)
                .whenFull(WhenFull.EVICT_OLDEST)
                .onDropped(item -> fates.put((Integer) item, fate("evicted", time)));
        Sinks.Many<Integer> source = Sinks.many().unicast().onBackpressureBuffer();
        source.asFlux()
                .transform(RateLimit.with(limiter(2, time), newestFirst))
                .subscribe(item -> fates.put(item, fate("goes", time)));

        out.println("item  comes  then");
        for (int item = 1; item <= items; item++) {
            source.tryEmitNext(item);
            time.advanceBy(Duration.ofMillis(100));
        }
        time.advanceBy(LONG_ENOUGH);
        fates.forEach((item, fate) -> out.printf(Locale.ROOT, "%4d  %5.2f  %s%n", item, (item - 1) / 10.0, fate));
    }

    private static RateLimiter limiter(int permits, VirtualTimeSource time) {
        return RateLimiter.builder(Limit.of(permits, SECOND)).timeSource(time).build();
    }

    private static String fate(String what, VirtualTimeSource time) {
        return String.format(Locale.ROOT, "%-7s  %5.2f", what, seconds(time));
    }

    private static double seconds(VirtualTimeSource time) {
        return time.nanoTime() / 1e9;
    }

    private void title(String words) {
        out.printf("%n%s%n%n", words);
    }
}
