package dev.weir.benchmarks.crowd;

import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;

/** A map from each key to a limiter of its own, as users of libraries without keys must keep one. */
final class MapOfKeys<L> implements Keyed {

    private final ConcurrentHashMap<Long, L> limiters = new ConcurrentHashMap<>();
    private final Function<Long, L> make;
    private final Predicate<L> take;

    MapOfKeys(Function<Long, L> make, Predicate<L> take) {
        this.make = make;
        this.take = take;
    }

    @Override
    public boolean tryTake(Long key) {
        return take.test(limiters.computeIfAbsent(key, make));
    }

    @Override
    public long keys() {
        return limiters.size();
    }
}
