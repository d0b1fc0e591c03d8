package dev.weir.redis;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;

/** Tests of one node on a virtual clock, and of what others then find at the server. */
abstract class NodeOnAServer extends OnAServer {

    static final Duration HOUR = Duration.ofHours(1);
    static final Duration LEASE = Duration.ofSeconds(6);

    final JedisCommands commands = new JedisCommands(host);
    final VirtualTimeSource time = new VirtualTimeSource(-1);
    final RedisRateLimiters fleet = Nodes.on(commands, RedisOptions.defaults().leaseTime(LEASE));

    @AfterEach
    void forget() {
        host.flush();
    }

    final RateLimiter limiter(Limit limit) {
        return fleet.builder("manners", limit).timeSource(time).build();
    }

    /** The same limit at another node, for which no time goes by. */
    static RateLimiter elsewhere(Limit limit) {
        return Nodes.on(new JedisCommands(host), RedisOptions.defaults())
                .builder("manners", limit)
                .timeSource(new VirtualTimeSource())
                .build();
    }
}
