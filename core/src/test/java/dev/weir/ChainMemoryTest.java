package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.weir.limit.Limit;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A chain may be made for one request, as where a user and all users together have a limit. */
class ChainMemoryTest {

    private static final int MOST_BYTES = 2_000;
    private static final int CHAINS = 1_000;

    @Test
    @DisplayName("a chain for one request that does not wait allocates nothing for waiting")
    void oneForEachRequest() {
        RateLimiter one = RateLimiter.of(Limit.tokenBucket(1_000_000, 1, Duration.ofSeconds(1)));
        RateLimiter other = RateLimiter.of(Limit.unlimited());
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = 0;
        for (int i = 0; i < 2 * CHAINS; i++) {
            if (i == CHAINS) { // the first ones also load classes
                before = threads.getCurrentThreadAllocatedBytes();
            }
            if (!RateLimiter.chain(one, other).tryAcquire().isAcquired()) {
                throw new AssertionError("refused");
            }
        }
        long bytes = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(bytes / CHAINS).isLessThan(MOST_BYTES);
    }
}
