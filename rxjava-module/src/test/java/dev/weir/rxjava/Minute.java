package dev.weir.rxjava;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A limiter of one a minute on time of its own, and options that let elements go on where it grants and note what is lost. */
final class Minute {

    final VirtualTimeSource time = new VirtualTimeSource();
    final RateLimiter limiter = RateLimiter.builder(Limit.of(1, Duration.ofMinutes(1)))
            .timeSource(time)
            .name("minute")
            .build();
    final List<Object> dropped = new CopyOnWriteArrayList<>();
    final StreamOptions options = StreamOptions.defaults().emitOn(Runnable::run).onDropped(dropped::add);

    /** Takes the permit of this minute. */
    Minute exhausted() {
        limiter.tryAcquire();
        return this;
    }

    void pass() {
        time.advanceBy(Duration.ofMinutes(1));
    }
}
