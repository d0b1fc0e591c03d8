package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.weir.limit.Limit;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PacedExecutorTest {

    private static final Duration PERIOD = Duration.ofSeconds(1);

    private final SteppedTime time = new SteppedTime(0);
    private final List<String> ran = new ArrayList<>();

    private RateLimiter limiter(Limit limit, int queueLimit) {
        return RateLimiter.builder(limit)
                .timeSource(time)
                .queueLimit(queueLimit)
                .name("tasks")
                .build();
    }

    @Test
    @DisplayName("tasks start at the limited rate, in order, without anybody waiting")
    void startsAtTheLimitedRate() {
        Executor paced = limiter(Limit.of(2, PERIOD), 100).executor(Runnable::run);
        for (int i = 0; i < 5; i++) {
            String name = "t" + i;
            paced.execute(() -> ran.add(name + "@" + time.nanoTime() / PERIOD.toNanos()));
        }
        assertThat(ran).containsExactly("t0@0", "t1@0");
        time.advanceBy(PERIOD.multipliedBy(3));
        assertThat(ran).containsExactly("t0@0", "t1@0", "t2@1", "t3@1", "t4@2");
    }

    @Test
    @DisplayName("a lease is closed when its task ends, also when the task fails")
    void closesLeases() {
        RateLimiter limiter = limiter(Limit.concurrency(1), 100);
        Queue<Runnable> running = new ArrayDeque<>();
        Executor paced = limiter.executor(running::add);
        paced.execute(() -> ran.add("first"));
        paced.execute(() -> {
            throw new UnsupportedOperationException("second");
        });
        paced.execute(() -> ran.add("third"));
        assertThat(running).hasSize(1);
        running.remove().run();
        assertThat(running).hasSize(1);
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(running.remove()::run);
        running.remove().run();
        assertThat(ran).containsExactly("first", "third");
        assertThat(limiter.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("a task that is refused at once is rejected with the reason")
    void rejectsWhatIsRefusedAtOnce() {
        RateLimiter limiter = limiter(Limit.of(1, PERIOD), 0);
        Executor paced = limiter.executor(Runnable::run);
        paced.execute(() -> ran.add("first"));
        assertThatExceptionOfType(RejectedExecutionException.class)
                .isThrownBy(() -> paced.execute(() -> ran.add("second")))
                .withCauseInstanceOf(RateLimitExceededException.class)
                .withMessageContaining("QUEUE_FULL");
        limiter.close();
        assertThatExceptionOfType(RejectedExecutionException.class)
                .isThrownBy(() -> paced.execute(() -> ran.add("third")))
                .withMessageContaining("tasks");
        assertThat(ran).containsExactly("first");
    }

    @Test
    @DisplayName("a task that is refused later is dropped and reported to the uncaught exception handler")
    void reportsWhatIsRefusedLater() throws InterruptedException {
        RateLimiter limiter = limiter(Limit.of(1, PERIOD), 10);
        Executor paced = limiter.executor(Runnable::run);
        paced.execute(() -> ran.add("first"));
        paced.execute(() -> ran.add("second"));
        List<Throwable> reported = new ArrayList<>();
        Thread closer = new Thread(limiter::close);
        closer.setUncaughtExceptionHandler((thread, thrown) -> reported.add(thrown));
        closer.start();
        closer.join();
        assertThat(ran).containsExactly("first");
        assertThat(reported)
                .singleElement()
                .isInstanceOf(RejectedExecutionException.class)
                .satisfies(thrown -> assertThat(thrown).hasMessageContaining("CLOSED"));
    }

    @Test
    @DisplayName("an executor that rejects gives the permit back")
    void givesBackWhatIsRejected() {
        RateLimiter limiter = limiter(Limit.of(1, PERIOD), 10);
        Executor rejecting = limiter.executor(task -> {
            throw new RejectedExecutionException("shut down");
        });
        assertThatExceptionOfType(RejectedExecutionException.class)
                .isThrownBy(() -> rejecting.execute(() -> ran.add("never")))
                .withMessage("shut down");
        assertThat(limiter.availablePermits()).isEqualTo(1);
        assertThat(limiter.statistics().acquired()).isZero();
    }

    @Test
    @DisplayName("a task that fails on the thread that submits it was not rejected: its permit is spent")
    void aTaskThatFailsHasBegun() {
        RateLimiter limiter = limiter(Limit.of(1, PERIOD), 10);
        Executor paced = withLeasesThatGiveBackByDefault(limiter).executor(Runnable::run);
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> paced.execute(() -> {
                    throw new UnsupportedOperationException("of the task");
                }));
        assertThat(limiter.availablePermits()).isZero();
        assertThat(limiter.statistics().acquired()).isEqualTo(1);
    }

    /** As a decorator does that knows nothing of {@code giveBack}. */
    private static RateLimiter withLeasesThatGiveBackByDefault(RateLimiter limiter) {
        return proxy(RateLimiter.class, (proxy, method, arguments) -> {
            if (method.isDefault()) {
                return InvocationHandler.invokeDefault(proxy, method, arguments);
            }
            for (int i = 0; arguments != null && i < arguments.length; i++) {
                if (arguments[i] instanceof PermitListener listener) {
                    arguments[i] = (PermitListener.Direct) lease -> listener.onLease(givingBackByDefault(lease));
                }
            }
            return method.invoke(limiter, arguments);
        });
    }

    private static Lease givingBackByDefault(Lease lease) {
        return proxy(
                Lease.class,
                (proxy, method, arguments) -> method.getName().equals("giveBack")
                        ? InvocationHandler.invokeDefault(proxy, method, arguments)
                        : method.invoke(lease, arguments));
    }

    private static <T> T proxy(Class<T> face, InvocationHandler handler) {
        return face.cast(Proxy.newProxyInstance(face.getClassLoader(), new Class<?>[] {face}, handler));
    }

    @Test
    @DisplayName("complains about what is missing")
    void badInput() {
        RateLimiter limiter = limiter(Limit.of(1, PERIOD), 10);
        assertThatNullPointerException()
                .isThrownBy(() -> limiter.executor(null))
                .withMessage("delegate");
        Executor paced = limiter.executor(Runnable::run);
        assertThatNullPointerException().isThrownBy(() -> paced.execute(null)).withMessage("task");
        assertThat(limiter.availablePermits()).isEqualTo(1);
    }
}
