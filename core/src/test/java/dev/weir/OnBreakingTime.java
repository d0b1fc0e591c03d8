package dev.weir;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A limiter of one permit every ten nanoseconds, whose time breaks where a test says so, and what is heard from it. */
abstract class OnBreakingTime {

    final BreakingTime time = new BreakingTime();
    final RateLimiter limiter = RateLimiter.builder(Limit.of(1, Duration.ofNanos(10)))
            .timeSource(time)
            .build();
    final List<String> heard = new ArrayList<>();

    final PermitRequest ask(String name) {
        return limiter.acquire(1, lease -> heard.add(name + (lease.isAcquired() ? "" : " refused")));
    }
}
