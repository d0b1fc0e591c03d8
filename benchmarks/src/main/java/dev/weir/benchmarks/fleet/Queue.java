package dev.weir.benchmarks.fleet;

import dev.weir.benchmarks.Figures;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Many who wait for permits of one key, on several nodes, all from the same instant on.
 *
 * @param waiters how many; a quarter of them can be served in a second
 */
record Queue(int waiters) {

    private static final int SHARES = 4;
    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final long PATIENCE_SECONDS = 30;

    /** A window is this much shorter than the period: so much is left for the way back from the server. */
    private static final int WAY_BACK_PERCENT = 5;

    Figures measure(FleetContender contender, int port, int database) {
        Site site = new Site(port, database, Load.NODES, waiters / SHARES, PERIOD);
        try (ServerCost server = new ServerCost(port, database);
                SharedLimits limits = contender.limits(site)) {
            server.clear();
            Gate[] gates = new Gate[Load.NODES];
            Arrays.setAll(gates, node -> limits.gate(node, "one for all"));
            long tripsBefore = limits.tripsBesideScripts();
            server.begin();
            long[] served = served(gates);
            return figures(site, served)
                    .put("bound", contender.bound(site))
                    .put("trips", (double) (server.scripts() + limits.tripsBesideScripts() - tripsBefore) / waiters)
                    .put("serverMicros", server.cpuMicros() / waiters);
        }
    }

    /** Returns after how many nanoseconds each was served, in ascending order. */
    private long[] served(Gate[] gates) {
        long[] times = new long[waiters];
        CompletableFuture<?>[] waiting = new CompletableFuture<?>[waiters];
        long began = System.nanoTime();
        for (int i = 0; i < waiters; i++) {
            int waiter = i;
            waiting[i] = gates[i % gates.length]
                    .await()
                    .thenAccept(granted -> {
                        if (!granted) {
                            throw new IllegalStateException("refused");
                        }
                        times[waiter] = System.nanoTime() - began;
                    })
                    .toCompletableFuture();
        }
        CompletableFuture.allOf(waiting)
                .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
                .join();
        Arrays.sort(times);
        return times;
    }

    private static Figures figures(Site site, long[] served) {
        long windowNanos = site.period().toNanos() / 100 * (100 - WAY_BACK_PERCENT);
        double idealNanos = (double) (served.length - site.permits())
                / site.permits()
                * site.period().toNanos();
        double last = served[served.length - 1];
        return new Figures()
                .put("lastMillis", last / TimeUnit.MILLISECONDS.toNanos(1))
                .put("lateMillis", (last - idealNanos) / TimeUnit.MILLISECONDS.toNanos(1))
                .put("worstWindow", (double) mostWithin(served, windowNanos) / site.permits());
    }

    /** The most of these times that lie in any interval of that length. */
    static int mostWithin(long[] ascending, long nanos) {
        int most = 0;
        int first = 0;
        for (int last = 0; last < ascending.length; last++) {
            while (ascending[last] - ascending[first] >= nanos) {
                first++;
            }
            most = Math.max(most, last - first + 1);
        }
        return most;
    }
}
