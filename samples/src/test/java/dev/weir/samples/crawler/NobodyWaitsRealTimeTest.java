package dev.weir.samples.crawler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Looks at every thread while a crawl waits for its next permit. */
class NobodyWaitsRealTimeTest {

    private static final int PAGES = 7;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Set<Thread.State> WAITING =
            EnumSet.of(Thread.State.WAITING, Thread.State.TIMED_WAITING, Thread.State.BLOCKED);

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @Test
    void noThreadWaitsForAPermitOnReactor() {
        assertNoThreadWaits("--rate", "2", "--pages", Integer.toString(PAGES));
    }

    @Test
    void noThreadWaitsForAPermitOnRxJava() {
        assertNoThreadWaits("--rate", "2", "--pages", Integer.toString(PAGES), "--rx");
    }

    private void assertNoThreadWaits(String... args) {
        PrintStream print = new PrintStream(out, true, StandardCharsets.UTF_8);
        CompletableFuture<Integer> exit = CrawlCommand.run(args, print, print).toFuture();
        Map<Thread, StackTraceElement[]> threads = new HashMap<>();
        await().pollInSameThread().atMost(PATIENCE).until(() -> isTakenBetweenPages(threads));

        threads.remove(Thread.currentThread());
        assertThat(threads.keySet().stream().filter(NobodyWaitsRealTimeTest::isTheTimer))
                .hasSizeLessThanOrEqualTo(1);
        threads.keySet().removeIf(NobodyWaitsRealTimeTest::isTheTimer);
        threads.forEach((thread, stack) -> {
            if (WAITING.contains(thread.getState())) {
                assertThat(stack).as(thread.getName()).noneMatch(NobodyWaitsRealTimeTest::isOurs);
            }
        });
        assertThat(exit).succeedsWithin(PATIENCE).isEqualTo(0);
    }

    /**
     * Takes a dump, and tells whether it shows something: the next page must be a second away when it begins, and not be there when
     * it ends.
     */
    private boolean isTakenBetweenPages(Map<Thread, StackTraceElement[]> threads) {
        long before = finished();
        threads.clear();
        threads.putAll(Thread.getAllStackTraces());
        boolean isSecondOfTwo = before > 0 && before % 2 == 0;
        return isSecondOfTwo && before < PAGES && finished() == before;
    }

    private long finished() {
        return out.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains(" of " + PAGES + " pages"))
                .count();
    }

    private static boolean isTheTimer(Thread thread) {
        return thread.getName().startsWith("weir-timer-");
    }

    private static boolean isOurs(StackTraceElement frame) {
        return frame.getClassName().startsWith("dev.weir.");
    }
}
