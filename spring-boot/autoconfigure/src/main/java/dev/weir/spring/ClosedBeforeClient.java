package dev.weir.spring;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Closes the limiters in Redis while Spring Data's client is still there, so that this node gives back what it holds: Spring Data
 * shuts the client down when the context stops, before any bean is destroyed. The web server stops earlier, and its last requests are
 * still limited.
 *
 * <p>A context that is stopped without being closed may be started again, so its limiters stay open.
 */
final class ClosedBeforeClient implements SmartLifecycle {

    /** Higher phases stop first: Spring Data's connection factory has 0, and all that Spring Boot starts has far higher ones. */
    private static final int PHASE = 1;

    private final RedisLimiters limiters;
    private final ConfigurableApplicationContext context;

    ClosedBeforeClient(RedisLimiters limiters, ConfigurableApplicationContext context) {
        this.limiters = limiters;
        this.context = context;
    }

    @Override
    public void start() {}

    @Override
    public void stop() {
        if (context.isClosed() && limiters.useSpringData()) {
            limiters.close();
        }
    }

    /** Always, as only what runs is stopped. */
    @Override
    public boolean isRunning() {
        return true;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
