package dev.weir.benchmarks.waiting;

import dev.weir.benchmarks.Figures;
import dev.weir.benchmarks.LiveHeap;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.Random;

/** Fills a room and empties it again. Arguments: contender, how many requests, how many rounds before the one that counts. */
public final class WaitingRun {

    private static final long SEED = 6;

    private final Room room;
    private final Object[] requests;

    private WaitingRun(RoomContender contender, int requests) {
        this.room = contender.room();
        this.requests = new Object[requests];
    }

    public static void main(String[] arguments) {
        RoomContender contender = RoomContender.valueOf(arguments[0]);
        Figures.tell(measure(contender, Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2])));
    }

    static Map<String, Double> measure(RoomContender contender, int requests, int roundsBefore) {
        WaitingRun run = new WaitingRun(contender, requests);
        for (int round = 0; round < roundsBefore; round++) {
            run.enter();
            run.leave(round % 2 == 0);
        }
        Figures figures = new Figures();
        long heapBefore = LiveHeap.bytes();
        figures.put("enterNanos", run.enter());
        figures.put("timers", run.room.timers());
        figures.put("waiting", (double) run.room.waiting());
        figures.put("bytes", (double) (LiveHeap.bytes() - heapBefore) / requests);
        figures.put("leaveNanos", run.leave(false));
        figures.put("leftWaiting", (double) run.room.waiting());
        figures.put("leftTimers", run.room.timers());
        figures.put("leftBytes", (double) Math.max(0, LiveHeap.bytes() - heapBefore) / requests);
        run.enter();
        figures.put("leaveAnyhowNanos", run.leave(true));
        return figures.all();
    }

    /** Returns the nanoseconds that it took for each. */
    private double enter() {
        long before = room.waiting();
        long began = System.nanoTime();
        for (int i = 0; i < requests.length; i++) {
            requests[i] = room.enter();
        }
        double nanos = System.nanoTime() - began;
        if (room.waiting() - before < requests.length) {
            throw new IllegalStateException("only " + (room.waiting() - before) + " wait");
        }
        return nanos / requests.length;
    }

    /** Withdraws all, in the order in which they came or in any. Returns the nanoseconds that it took for each. */
    private double leave(boolean anyhow) {
        if (anyhow) {
            Collections.shuffle(Arrays.asList(requests), new Random(SEED));
        }
        int left = 0;
        long began = System.nanoTime();
        for (Object request : requests) {
            left += room.leave(request) ? 1 : 0;
        }
        double nanos = System.nanoTime() - began;
        if (left != requests.length) {
            throw new IllegalStateException("only " + left + " of " + requests.length + " still waited");
        }
        Arrays.fill(requests, null);
        return nanos / requests.length;
    }
}
