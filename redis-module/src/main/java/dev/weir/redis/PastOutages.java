package dev.weir.redis;

import java.util.ArrayList;
import java.util.List;

/**
 * The latest outages that are over: permits taken during one were granted by this node alone.
 *
 * @param latest in chronological order
 */
record PastOutages(List<Span> latest) {

    static final PastOutages NONE = new PastOutages(List.of());

    private static final int MOST = 8;

    boolean cover(long nanos) {
        for (int i = 0; i < latest.size(); i++) { // without an iterator for each decision
            if (latest.get(i).covers(nanos)) {
                return true;
            }
        }
        return false;
    }

    PastOutages with(Span next) {
        List<Span> all = new ArrayList<>(latest);
        all.add(next);
        return new PastOutages(List.copyOf(all.subList(Math.max(0, all.size() - MOST), all.size())));
    }
}
