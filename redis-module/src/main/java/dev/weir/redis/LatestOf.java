package dev.weir.redis;

import dev.weir.limit.Limit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What follows from the limit that was used last, as the keys of a partition mostly share one. Any thread; made anew for another limit. */
final class LatestOf<T> {

    private final Function<Limit, T> maker;
    private volatile @Nullable Made<T> latest;

    private record Made<T>(Limit limit, T result) {}

    LatestOf(Function<Limit, T> maker) {
        this.maker = maker;
    }

    T get(Limit limit) {
        Made<T> known = latest;
        if (known == null || !known.limit.equals(limit)) {
            known = new Made<>(limit, maker.apply(limit));
            latest = known;
        }
        return known.result;
    }
}
