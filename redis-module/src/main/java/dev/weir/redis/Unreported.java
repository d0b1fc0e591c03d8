package dev.weir.redis;

import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/** Usage that is yet to be reported to the store: of each part of a limit, what it counts. */
final class Unreported {

    private final List<LimitPart> parts;
    private final AtomicLongArray usage;

    /** For a limit with these parts. No change of it changes what they count, or how many they are. */
    Unreported(List<LimitPart> parts) {
        this.parts = parts;
        this.usage = new AtomicLongArray(parts.size());
    }

    /** Adds requests for that many permits in all. */
    void add(long permits, long requests) {
        for (int part = 0; part < usage.length(); part++) {
            usage.addAndGet(part, parts.get(part).counts(permits, requests));
        }
    }

    /** Deducts requests, as far as they have not been reported meanwhile. */
    void deduct(long permits, long requests) {
        for (int part = 0; part < usage.length(); part++) {
            long less = parts.get(part).counts(permits, requests);
            usage.updateAndGet(part, left -> Math.max(0, left - less));
        }
    }

    /** Adds what one of the parts counts. */
    void addTo(int part, long more) {
        usage.addAndGet(part, more);
    }

    /** Returns, and clears, what each part counts. */
    long[] takeAll() {
        long[] taken = new long[usage.length()];
        for (int part = 0; part < taken.length; part++) {
            taken[part] = usage.getAndSet(part, 0);
        }
        return taken;
    }

    boolean isAny() {
        for (int part = 0; part < usage.length(); part++) {
            if (usage.get(part) > 0) {
                return true;
            }
        }
        return false;
    }
}
