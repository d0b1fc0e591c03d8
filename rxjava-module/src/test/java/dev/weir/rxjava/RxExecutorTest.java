package dev.weir.rxjava;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.StreamOptions;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.observers.TestObserver;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.reactivex.rxjava3.schedulers.TestScheduler;
import io.reactivex.rxjava3.subscribers.TestSubscriber;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RxExecutorTest {

    @RegisterExtension
    final Plugins plugins = Plugins.withVirtualTime();

    private final Minute minute = new Minute();

    static Stream<Scheduler> shutDown() {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        executor.shutdown();
        Stream<Scheduler> ofRxJava = Stream.of(
                RxJavaPlugins.createIoScheduler(Thread::new),
                RxJavaPlugins.createSingleScheduler(Thread::new),
                RxJavaPlugins.createComputationScheduler(Thread::new));
        return Stream.concat(Stream.of(Schedulers.from(executor), new Rejecting()), ofRxJava.peek(Scheduler::shutdown));
    }

    @ParameterizedTest
    @MethodSource("shutDown")
    @DisplayName(
            "on a scheduler that takes no more tasks, streams and calls fail that had to wait, and the permit is back")
    void failsWhoHadToWait(Scheduler scheduler) {
        StreamOptions options = minute.options.emitOn(RxExecutor.of(scheduler));
        minute.exhausted();
        TestSubscriber<Integer> elements = Flowable.just(1)
                .compose(RateLimit.with(minute.limiter, options))
                .test();
        minute.pass();
        elements.assertFailure(RejectedExecutionException.class);
        assertThat(minute.limiter.availablePermits()).isEqualTo(1);

        minute.exhausted();
        TestObserver<Integer> call =
                Single.just(1).compose(RateLimit.with(minute.limiter, options)).test();
        minute.pass();
        call.assertFailure(RejectedExecutionException.class);
        assertThat(minute.limiter.availablePermits()).isEqualTo(1);
        plugins.takeErrors(); // RxJava's own reports
    }

    @Test
    @DisplayName("streams and calls go on on the scheduler after a wait")
    void goesOnThere() {
        TestScheduler scheduler = new TestScheduler();
        StreamOptions options = minute.options.emitOn(RxExecutor.of(scheduler));
        TestSubscriber<Integer> elements = Flowable.just(1, 2)
                .compose(RateLimit.with(minute.limiter, options))
                .test();
        TestObserver<Integer> call =
                Single.just(1).compose(RateLimit.with(minute.limiter, options)).test();
        minute.pass();
        elements.assertValues(1);
        scheduler.triggerActions();
        elements.assertResult(1, 2);
        minute.pass();
        call.assertEmpty();
        scheduler.triggerActions();
        call.assertResult(1);
    }

    @Test
    @DisplayName(
            "no worker is left: neither of a task that has run, nor of one that has thrown, nor of one that was rejected")
    void disposesOfWorkers() {
        TestScheduler scheduler = new TestScheduler();
        CountedWorkers workers = new CountedWorkers(scheduler);
        IllegalStateException forced = new IllegalStateException("forced");
        List<String> ran = new ArrayList<>();
        RxExecutor executor = RxExecutor.of(workers);
        executor.execute(() -> ran.add("first"));
        executor.execute(() -> {
            throw forced;
        });
        assertThat(workers.disposed).as("before they run").hasValue(0);
        assertThatThrownBy(scheduler::triggerActions).isSameAs(forced);
        assertThat(ran).containsExactly("first");
        assertThat(workers.made).hasValue(2);
        assertThat(workers.disposed).hasValue(2);

        Scheduler single = RxJavaPlugins.createSingleScheduler(Thread::new);
        single.shutdown();
        CountedWorkers rejecting = new CountedWorkers(single);
        assertThatThrownBy(() -> RxExecutor.of(rejecting).execute(() -> ran.add("never")))
                .isInstanceOf(RejectedExecutionException.class);
        assertThat(rejecting.disposed).hasValue(1);
        assertThat(plugins.takeErrors()).hasSize(1); // RxJava's own report
    }

    @Test
    @DisplayName("a scheduler that runs tasks at once has rejected none")
    void atOnce() {
        List<String> ran = new ArrayList<>();
        RxExecutor.of(Schedulers.trampoline()).execute(() -> ran.add("trampoline"));
        RxExecutor.of(Schedulers.from(Runnable::run)).execute(() -> ran.add("here"));
        assertThat(ran).containsExactly("trampoline", "here");
    }

    @Test
    @DisplayName("null is named")
    void nulls() {
        assertThatNullPointerException().isThrownBy(() -> RxExecutor.of(null)).withMessage("scheduler");
        assertThatNullPointerException()
                .isThrownBy(() -> RxExecutor.of(Schedulers.io()).execute(null))
                .withMessage("task");
    }

    /** Makes no workers, and says so by throwing. */
    private static final class Rejecting extends Scheduler {

        @Override
        public Worker createWorker() {
            throw new IllegalStateException("closed");
        }
    }
}
