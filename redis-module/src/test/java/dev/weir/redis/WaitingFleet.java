package dev.weir.redis;

import dev.weir.PermitRequest;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Nodes of a fleet in one virtual time, on the scripts of a server. On each some callers wait, and those who were served ask again: at
 * once, or after a while. All that varies does so at random.
 */
final class WaitingFleet {

    static final int NODES = 4;
    static final long MILLI = 1_000_000;

    private static final int MOST_CALLERS = 12;

    private static final NodeSettings SETTINGS = new TestSettings()
            .aheadNanos(250 * MILLI)
            .pollNanos(100 * MILLI)
            .nodes(NODES)
            .build();

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final Random random;
    private final List<RateLimiter> nodes = new ArrayList<>();
    private final List<UnreliableLink> ways = new ArrayList<>();
    private final List<Long> grantedNanos = new ArrayList<>();
    private final long longestPauseMillis;

    WaitingFleet(ScriptHost host, Limit limit, Random random) {
        this.random = random;
        this.longestPauseMillis = List.of(0, 5, 50, 300).get(random.nextInt(4));
        long trip = random.nextBoolean() ? 0 : (1 + random.nextInt(10)) * MILLI;
        host.flush();
        for (int i = 0; i < NODES; i++) {
            Store server = new ScriptStore(host, "test", time, "node" + i);
            Store way = trip == 0 ? server : new DistantStore(server, time, trip);
            ways.add(new UnreliableLink(way, time, SETTINGS.deadlineNanos()));
            nodes.add(ModelFleet.builder(limit, ways.get(i), Nodes.node(random), SETTINGS)
                    .timeSource(time)
                    .build());
        }
    }

    void beginToAsk() {
        for (int i = 0; i < NODES; i++) {
            int node = i;
            for (int callers = 1 + random.nextInt(MOST_CALLERS); callers > 0; callers--) {
                later(random.nextInt(500), () -> ask(node));
            }
        }
    }

    private void ask(int node) {
        PermitRequest unused = nodes.get(node).acquire(1, lease -> {
            if (lease.isAcquired()) {
                grantedNanos.add(time.nanoTime());
            }
            later(longestPauseMillis == 0 ? 0 : random.nextLong(longestPauseMillis), () -> ask(node));
        });
    }

    private void later(long millis, Runnable task) {
        TimeSource.Cancellable unused = time.schedule(task, millis * MILLI);
    }

    long nanoTime() {
        return time.nanoTime();
    }

    /** Has the server out of reach of all nodes in so long, for a while. */
    void allOut(long inNanos, long lasting) {
        boolean isSilent = random.nextBoolean();
        ways.forEach(way -> way.breaks(nanoTime() + inNanos, nanoTime() + inNanos + lasting, isSilent));
    }

    /** Has it out of reach of each node at a time of its own, up to that much later, for up to so long; of some not at all. */
    void someOut(long latest, long longest) {
        for (UnreliableLink way : ways) {
            long from = nanoTime() + random.nextLong(latest);
            long until = random.nextInt(4) == 0 ? from : from + random.nextLong(longest);
            way.breaks(from, until, random.nextBoolean());
        }
    }

    /** Returns when all are within reach again. */
    long backNanos() {
        return ways.stream().mapToLong(UnreliableLink::untilNanos).max().orElseThrow();
    }

    void advance(Duration duration) {
        time.advanceBy(duration);
    }

    /** Returns from when on all nodes are alone; the largest number if some never were. */
    long allAloneNanos() {
        return ways.stream().mapToLong(UnreliableLink::aloneNanos).max().orElseThrow();
    }

    /** Returns how many nodes were alone. */
    int aloneOnes() {
        return (int)
                ways.stream().filter(way -> way.aloneNanos() < Long.MAX_VALUE).count();
    }

    /** Returns when permits were granted after that. */
    List<Long> grantedAfter(long nanos) {
        return grantedNanos.stream().filter(at -> at > nanos).toList();
    }

    /** Returns the most in a period, wherever that begins. */
    static int mostIn(Duration period, List<Long> granted) {
        long shortest = period.toNanos() - 2_000; // the server counts in microseconds
        int most = 0;
        for (int from = 0, to = 0; to < granted.size(); to++) {
            while (granted.get(to) - granted.get(from) >= shortest) {
                from++;
            }
            most = Math.max(most, to - from + 1);
        }
        return most;
    }

    /** Returns the most by which any interval exceeds what flows in meanwhile, one permit in so long. */
    static double mostBeyond(long nanosOfOne, List<Long> granted) {
        double beyond = 0;
        double most = 0;
        long before = 0;
        for (long at : granted) {
            beyond = Math.max(0, beyond - (double) (at - before) / nanosOfOne) + 1;
            before = at;
            most = Math.max(most, beyond);
        }
        return most;
    }
}
