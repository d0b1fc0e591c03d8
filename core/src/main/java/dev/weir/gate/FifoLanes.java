package dev.weir.gate;

import dev.weir.RateLimiter;
import org.jspecify.annotations.Nullable;

/** One lane for all elements: used unless the stream has keys, newest first, or eviction. */
final class FifoLanes<T> extends Lanes<T> {

    private final FifoLane<T> lane;

    FifoLanes(RateLimiter limiter, int room) {
        this.lane = new FifoLane<>(limiter, room);
    }

    @Override
    boolean hold(T element, int cost, Object key, RateLimiter limiter) {
        return lane.offer(element, cost);
    }

    @Override
    boolean isFree(Object key) {
        return lane.isEmpty();
    }

    @Override
    void absorb(boolean demand) {}

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
    void withdraw() {
        lane.withdraw();
    }

    @Override
    @Nullable
    T removeAny() {
        return lane.isEmpty() ? null : lane.take();
    }

    @Override
    int size() {
        return lane.size();
    }
}
