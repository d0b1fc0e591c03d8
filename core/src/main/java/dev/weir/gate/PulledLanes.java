package dev.weir.gate;

import dev.weir.RateLimiter;
import org.jspecify.annotations.Nullable;

/** The single lane of a fused source. Elements are never offered to it: it pulls them. */
final class PulledLanes<T> extends Lanes<T> {

    private final PulledLane<T> lane;

    PulledLanes(PulledLane<T> lane) {
        this.lane = lane;
    }

    @Override
    boolean hold(T element, int cost, Object key, RateLimiter limiter) {
        return false;
    }

    @Override
    boolean isFree(Object key) {
        return false;
    }

    @Override
    void absorb(boolean demand) {
        lane.pull(demand);
    }

    @Override
    @Nullable
    Lane<T> next() {
        return lane.isReady() ? lane : null;
    }

    @Override
    void served(Lane<T> lane) {}

    @Override
    boolean isEmpty() {
        return lane.isEmpty();
    }

    @Override
    boolean isExhausted() {
        return lane.isExhausted();
    }

    @Override
    void withdraw() {
        lane.withdraw();
    }

    @Override
    @Nullable
    T removeAny() {
        if (!lane.isEmpty()) {
            return lane.take();
        }
        lane.letGo(); // clears the rest
        return null;
    }

    @Override
    int size() {
        return lane.isEmpty() ? 0 : 1;
    }
}
