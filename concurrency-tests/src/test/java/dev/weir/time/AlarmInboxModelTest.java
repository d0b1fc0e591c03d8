package dev.weir.time;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Both;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** An alarm that comes while the timer's thread goes to sleep, under every interleaving of their steps. */
class AlarmInboxModelTest {

    @Test
    @DisplayName("the thread looks again before it sleeps, or is woken")
    void neverSleptThrough() {
        Lincheck.runConcurrentTest(() -> {
            AlarmInbox inbox = new AlarmInbox();
            TimerThread.Alarm alarm = new TimerThread(() -> 0, Thread::new).new Alarm(() -> {}, 1);
            AtomicBoolean sleeps = new AtomicBoolean();
            AtomicBoolean isWoken = new AtomicBoolean();
            Both.run(() -> sleeps.set(inbox.announceSleepUntil(100)), () -> isWoken.set(inbox.push(alarm)));
            assertTrue(!sleeps.get() || isWoken.get(), "slept through");
        });
    }
}
