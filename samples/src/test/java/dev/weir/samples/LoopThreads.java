package dev.weir.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;

/** The event loops of a server, which keep the JVM alive as long as they run. */
public final class LoopThreads {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private LoopThreads() {}

    /** Fails if a thread with such a name is left; one that has ended otherwise may need a moment to do so. */
    public static void assertNoneIsLeft(String server) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .extracting(Thread::getName)
                        .noneMatch(name -> name.startsWith(server + "-")));
    }
}
