package dev.weir.gate;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Whose turn it is among the lanes that have an element and no request. Used only inside the drain.
 *
 * <p>Requests are withdrawn when demand ends, so if demand comes one by one, a request for an exhausted key is usually withdrawn
 * before it is answered. So a lane without permits makes no request yet, but is put off, if the waiting lanes and this one could use
 * up the demand. A round tries each hungry lane once, then those put off earlier; only a lane tried again in the same round makes a
 * request. When demand ends, so does the round: the {@link #RETRIED} lanes put off longest become hungry, the others stay. So what an
 * element costs does not grow with the number of exhausted keys, and a permit that has come back is found after as many elements as
 * it takes to try all lanes.
 */
final class Rounds<T> {

    private static final int RETRIED = 16;
    private static final int NOT_COUNTED = -1;

    /** The lanes to be tried. */
    private final TreeSet<HeldLane<T>> hungry = new TreeSet<>(HeldLane.BY_RANK);

    /** The lanes tried in vain, those not tried for longest first. */
    private final Set<HeldLane<T>> putOff = new LinkedHashSet<>();

    /** The number of the current round, in which no lane is put off twice. */
    private long round = 1;

    /** How many hungry lanes may go in this round before those that were put off. */
    private int stillToTry = NOT_COUNTED;

    /** Has a lane tried, at the rank of the element that would go now. */
    void add(HeldLane<T> lane) {
        hungry.add(lane.ranked());
    }

    /** Takes out a lane that is to be tried; returns false if it is none. Called before its rank changes. */
    boolean takeOut(HeldLane<T> lane) {
        return hungry.remove(lane);
    }

    /** Takes out a lane that holds nothing any more. */
    void remove(HeldLane<T> lane) {
        hungry.remove(lane);
        putOff.remove(lane);
    }

    boolean isPutOff(HeldLane<T> lane) {
        return putOff.contains(lane);
    }

    /** Takes out the lane whose turn it is; null if there is none. */
    @Nullable
    HeldLane<T> next() {
        if (putOff.isEmpty()) {
            stillToTry = NOT_COUNTED;
            return hungry.pollFirst();
        }
        if (stillToTry == NOT_COUNTED) {
            stillToTry = hungry.size();
        }
        if (stillToTry > 0 && !hungry.isEmpty()) {
            stillToTry--;
            return hungry.pollFirst();
        }
        return longestPutOff();
    }

    private HeldLane<T> longestPutOff() {
        HeldLane<T> lane = putOff.iterator().next();
        putOff.remove(lane);
        return lane;
    }

    /** Whether a lane without permits may be put off, given how many lanes wait, and the demand. */
    boolean mayPutOff(HeldLane<T> lane, int waiting, long demand) {
        boolean isFirstTime = lane.putOffIn != round;
        boolean hasOthers = !hungry.isEmpty() || !putOff.isEmpty();
        return isFirstTime && hasOthers && waiting >= demand - 1;
    }

    /** Puts off the lane that is being tried. */
    void putOff(HeldLane<T> lane) {
        lane.putOffIn = round;
    }

    /** A lane has been tried, and still has an element and no request. */
    void tried(HeldLane<T> lane) {
        if (lane.putOffIn == round) {
            putOff.add(lane);
        } else {
            add(lane);
        }
    }

    /** Demand has ended, and so has the round, unless no lane has been tried since it began. */
    void end() {
        if (stillToTry == NOT_COUNTED) {
            return;
        }
        round++;
        stillToTry = NOT_COUNTED;
        for (int lane = 0; lane < RETRIED && !putOff.isEmpty(); lane++) {
            add(longestPutOff());
        }
    }

    /** Takes out the lane that ranks first, also if it was put off; null if there is none. */
    @Nullable
    HeldLane<T> first() {
        while (!putOff.isEmpty()) {
            add(longestPutOff());
        }
        return hungry.pollFirst();
    }
}
