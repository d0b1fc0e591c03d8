package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A node that holds long leases and is asked for nothing else, whose way to the server fails now and then. */
class LeasesOfIdleNodesTest extends OnAServer {

    private static final int PERMITS = 4;
    private static final Duration AT_ONCE = Duration.ZERO;

    private final VirtualTimeSource time = new VirtualTimeSource();

    private RateLimiter limiter(Commands server, int nodes) {
        return Nodes.on(server, RedisOptions.defaults().expectedNodes(nodes))
                .builder("leases", Limit.concurrency(PERMITS))
                .timeSource(time)
                .build();
    }

    private List<Lease> takeAll(RateLimiter limiter) {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < PERMITS; i++) {
            limiter.acquire(1, leases::add);
            time.advanceBy(Duration.ofMillis(200));
        }
        assertThat(leases).hasSize(PERMITS).allMatch(Lease::isAcquired);
        return leases;
    }

    /** Lets time go on while another node asks again and again; it must not get anything. */
    private void othersAsk(RateLimiter other, Duration duration, String what) {
        for (Duration gone = Duration.ZERO; gone.compareTo(duration) < 0; gone = gone.plusMillis(100)) {
            time.advanceBy(Duration.ofMillis(100));
            assertThat(other.tryAcquire().isAcquired()).as(what).isFalse();
        }
    }

    @Test
    @DisplayName("a lease of an idle node stays held through a late renewal or seconds out of reach")
    void heldOn() {
        for (long seed = 1; seed <= 10; seed++) {
            for (int nodes : new int[] {1, 2}) {
                host.flush();
                Random random = new Random(seed);
                ServerInVirtualTime way = new ServerInVirtualTime(host, time, AT_ONCE);
                RateLimiter holder = limiter(way, nodes);
                RateLimiter other = limiter(new ServerInVirtualTime(host, time, AT_ONCE), nodes);
                List<Lease> leases = takeAll(holder);
                for (int fault = 0; fault < 3; fault++) {
                    String what = "seed " + seed + ", " + nodes + " nodes, fault " + fault;
                    if (random.nextBoolean()) {
                        way.answersWithin(Duration.ofMillis(60));
                    } else {
                        way.isGone();
                    }
                    othersAsk(other, Duration.ofMillis(3_400 + random.nextInt(1_600)), what);
                    way.answersWithin(AT_ONCE);
                    othersAsk(other, Duration.ofSeconds(15), what);
                }
                leases.forEach(Lease::close);
                time.advanceBy(Duration.ofSeconds(1));
                takeAll(other).forEach(Lease::close);
                holder.close();
                other.close();
            }
        }
    }
}
