package dev.weir.limit;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the values derived from limits, computed once and shared by the policies of all equal limits, of which there may be
 * one for each of a million keys.
 *
 * <p>Holds few results, each in the one place given by the hash of its limit, where another may displace it: never wrong, at
 * worst computed again.
 */
final class Derived<L extends Limit, D> {

    private static final int PLACES = 64;

    /** Spreads hashes that differ little, or by multiples of the number of places (D. E. Knuth, TAOCP, volume 3, 6.4). */
    private static final int GOLDEN_RATIO = 0x9E3779B9;

    private static final int SHIFT = Integer.SIZE - Integer.numberOfTrailingZeros(PLACES);

    private final AtomicReferenceArray<@Nullable Result<L, D>> results = new AtomicReferenceArray<>(PLACES);
    private final Function<L, D> derive;

    private record Result<L, D>(L limit, D derived) {}

    Derived(Function<L, D> derive) {
        this.derive = derive;
    }

    D from(L limit) {
        int place = (limit.hashCode() * GOLDEN_RATIO) >>> SHIFT;
        Result<L, D> known = results.get(place);
        if (known != null && known.limit.equals(limit)) {
            return known.derived;
        }
        D derived = derive.apply(limit);
        results.set(place, new Result<>(limit, derived));
        return derived;
    }
}
