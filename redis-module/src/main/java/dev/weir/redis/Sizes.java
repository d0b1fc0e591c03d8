package dev.weir.redis;

import dev.weir.limit.WaitingRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The sizes of waiting requests, in the order in which they are served. Requests of one size that wait one behind the other make a
 * run; all requests after the last run are taken to be like those in it.
 */
record Sizes(List<Run> runs) {

    static final Sizes NONE = new Sizes(List.of());

    /** How many requests are looked at: no more are booked for one question, unless they are alike. */
    private static final int MOST = 128;

    /**
     * Requests of one size.
     *
     * @param one the permits of each
     * @param permits those of all
     */
    record Run(int one, long permits) {}

    /** Requests that are all of that size. */
    static Sizes all(int one) {
        return new Sizes(List.of(new Run(one, Long.MAX_VALUE)));
    }

    /** Returns the sizes from a request on, for so many permits, or for fewer if the next request needs more than are left. */
    static Sizes from(WaitingRequest first, long permits) {
        List<Run> runs = new ArrayList<>();
        long left = permits;
        int one = first.permits();
        long ofRun = 0;
        @Nullable WaitingRequest request = first;
        int count = 0;
        for (; count < MOST && request != null && request.permits() <= left; count++) {
            if (request.permits() != one) {
                runs.add(new Run(one, ofRun));
                one = request.permits();
                ofRun = 0;
            }
            ofRun += one;
            left -= one;
            request = request.next();
        }
        boolean isNextTooLarge = count < MOST && request != null;
        runs.add(new Run(one, isNextTooLarge ? ofRun : ofRun + left));
        return new Sizes(runs);
    }

    /** Returns the request behind others that have so many permits; the last one known if there are fewer. */
    static WaitingRequest behind(WaitingRequest first, long permits) {
        WaitingRequest found = first;
        @Nullable WaitingRequest next = first.next();
        for (long left = permits - found.permits(); left >= 0 && next != null; left -= found.permits()) {
            found = next;
            next = found.next();
        }
        return found;
    }

    /** Returns how many permits all requests ask for. */
    long permits() {
        return runs.stream().mapToLong(Run::permits).sum();
    }

    /** Returns whether all requests are of one size. */
    boolean areAlike() {
        return runs.size() <= 1;
    }

    /** Returns the size of the request that comes after others which have so many permits; zero if there are none. */
    int after(long permits) {
        long left = permits;
        int one = 0;
        for (int i = 0; i < runs.size() && left >= 0; i++) {
            one = runs.get(i).one;
            left -= runs.get(i).permits;
        }
        return one;
    }

    /** Returns the runs of the first requests, which have so many permits. */
    List<Run> first(long permits) {
        List<Run> first = new ArrayList<>();
        long left = permits;
        for (int i = 0; left > 0; i++) {
            Run run = runs.get(i);
            long these = i == runs.size() - 1 ? left : Math.min(left, run.permits);
            first.add(new Run(run.one, these));
            left -= these;
        }
        return first;
    }

    /** Returns the runs as the scripts read them. */
    String words() {
        return runs.stream().map(run -> run.one + ":" + run.permits).collect(Collectors.joining(","));
    }
}
