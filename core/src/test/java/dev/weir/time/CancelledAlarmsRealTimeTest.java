package dev.weir.time;

import static dev.weir.time.TimerThreadRealTimeTest.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is cancelled takes up a place for a while, and none of the thread's time once that is gone. */
@Timeout(60)
class CancelledAlarmsRealTimeTest {

    private static final long NEVER = TimeUnit.HOURS.toNanos(1);
    private static final int MANY = 1_000;

    /** So many places of cancelled tasks are never worth the clearing. */
    private static final int FEW = 64;

    /** Stands still unless a test moves it. */
    private final AtomicLong clock = new AtomicLong();

    private final TimerThread timer = new TimerThread(clock::get, DaemonThreads.named("test-timer-"));

    @Test
    @DisplayName("the places of cancelled tasks are cleared long before they would have been due, by no other call")
    void cancelledTasksAreCleared() throws Exception {
        for (int round = 0; round < 200; round++) {
            List<TimeSource.Cancellable> tasks = schedule(MANY, NEVER);
            runOne();
            runOne(); // by now the thread has counted what was there before the first one
            assertThat(timer.places()).as("round %d", round).isBetween(MANY, MANY + FEW);
            tasks.forEach(TimeSource.Cancellable::cancel);
            tasks.forEach(TimeSource.Cancellable::cancel);
            awaitThat(() -> timer.places() <= FEW);
        }
    }

    @Test
    @DisplayName("tasks that are cancelled as soon as they were scheduled take up no places for long")
    void cancelledAtOnce() {
        for (int round = 0; round < 200; round++) {
            schedule(MANY, NEVER).forEach(TimeSource.Cancellable::cancel);
        }
        awaitThat(() -> timer.places() <= FEW);
    }

    @Test
    @DisplayName("the thread sleeps when the places of cancelled tasks have been cleared")
    void sleepsOnceTheyAreCleared() throws Exception {
        List<TimeSource.Cancellable> tasks = schedule(MANY, NEVER);
        runOne();
        tasks.forEach(TimeSource.Cancellable::cancel);
        awaitSleep();
    }

    @Test
    @DisplayName("the thread sleeps when tasks were cancelled before it has seen them")
    void sleepsThoughItHasSeenNone() throws Exception {
        CompletableFuture<Void> begun = new CompletableFuture<>();
        CompletableFuture<Void> end = new CompletableFuture<>();
        timer.schedule(
                () -> {
                    begun.complete(null);
                    end.join();
                },
                0);
        begun.join();
        schedule(MANY, NEVER).forEach(TimeSource.Cancellable::cancel);
        end.complete(null);
        awaitSleep();
    }

    @Test
    @DisplayName("the thread sleeps when cancelled tasks, too few to be cleared, have become due again and again")
    void sleepsOnceTheyAreDue() throws Exception {
        for (int round = 0; round < 20; round++) {
            List<TimeSource.Cancellable> tasks = schedule(FEW - 4, 10);
            runOne();
            tasks.forEach(TimeSource.Cancellable::cancel);
            clock.addAndGet(10);
            runOne();
        }
        awaitSleep();
    }

    private List<TimeSource.Cancellable> schedule(int tasks, long delayNanos) {
        List<TimeSource.Cancellable> scheduled = new ArrayList<>();
        for (int task = 0; task < tasks; task++) {
            scheduled.add(timer.schedule(() -> {}, delayNanos));
        }
        return scheduled;
    }

    /** Returns the timer's thread when that has seen all that was scheduled or cancelled before. */
    private Thread runOne() throws Exception {
        CompletableFuture<Thread> ran = new CompletableFuture<>();
        timer.schedule(() -> ran.complete(Thread.currentThread()), 0);
        return ran.get(30, TimeUnit.SECONDS);
    }

    /** A thread that has reason to look again, whatever it finds, is never seen to sleep. */
    private void awaitSleep() throws Exception {
        Thread thread = runOne();
        awaitThat(() -> thread.getState() == Thread.State.TIMED_WAITING);
    }
}
