package dev.weir.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A thread takes nothing with it of whoever happens to be the first to need one. */
@Timeout(60)
class DaemonThreadsRealTimeTest {

    private final ThreadFactory threads = DaemonThreads.named("test-");

    @Test
    @DisplayName("a thread has neither the group nor the priority of who needs it, nor its class loader")
    @SuppressWarnings("ThreadPriorityCheck")
    void neitherGroupNorPriority() throws Exception {
        CompletableFuture<Thread> created = new CompletableFuture<>();
        ThreadGroup group = new ThreadGroup("of an application") {};
        Thread first = new Thread(group, () -> created.complete(threads.newThread(() -> {})));
        first.setPriority(Thread.MIN_PRIORITY);
        first.setContextClassLoader(new URLClassLoader(new URL[0]));
        first.start();
        Thread thread = created.get();
        assertThat(thread.getThreadGroup().getParent()).isNull();
        assertThat(thread.getPriority()).isEqualTo(Thread.NORM_PRIORITY);
        assertThat(thread.getContextClassLoader()).isSameAs(ClassLoader.getSystemClassLoader());
        assertThat(thread.isDaemon()).isTrue();
    }

    @Test
    @DisplayName("an application that was the first to need a thread goes, though the thread stays")
    void applicationsGo() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        WeakReference<ClassLoader> application = startFromAnApplication(() -> {
            begun.countDown();
            awaitUninterruptibly(end);
        });
        begun.await();
        awaitGone(application);
        end.countDown();
    }

    private static void awaitGone(WeakReference<?> reference) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!reference.refersTo(null) && System.nanoTime() - until < 0) {
            System.gc();
        }
        assertThat(reference.refersTo(null)).isTrue();
    }

    private WeakReference<ClassLoader> startFromAnApplication(Runnable task) throws Exception {
        URL classes = Starts.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {classes}, ClassLoader.getPlatformClassLoader())) {
            @SuppressWarnings("unchecked")
            BiConsumer<ThreadFactory, Runnable> first = (BiConsumer<ThreadFactory, Runnable>)
                    loader.loadClass(Starts.class.getName()).getConstructor().newInstance();
            assertThat(first.getClass().getClassLoader()).isSameAs(loader);
            first.accept(threads, task);
            return new WeakReference<>(loader);
        }
    }

    /** Loaded by a loader of its own. */
    public static final class Starts implements BiConsumer<ThreadFactory, Runnable> {

        public Starts() {}

        @Override
        public void accept(ThreadFactory threads, Runnable task) {
            threads.newThread(task).start();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
