package dev.weir.rxjava;

import static java.time.Duration.ofSeconds;

import dev.weir.RateLimiter;
import dev.weir.gate.GatePlan;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import io.reactivex.rxjava3.core.BackpressureStrategy;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.FlowableTransformer;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Comparator;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.reactivestreams.tck.PublisherVerification;
import org.reactivestreams.tck.SubscriberWhiteboxVerification;
import org.reactivestreams.tck.TestEnvironment;
import org.testng.SkipException;
import org.testng.annotations.Test;

/**
 * The Reactive Streams TCK. It is made for TestNG, so its tests are called one by one; one that is required must not skip
 * itself.
 */
class TckTest {

    private static final RateLimiter SHARED = RateLimiter.of(Limit.tokenBucket(50, 20_000, ofSeconds(1)));

    @BeforeAll
    static void misbehaveQuietly() {
        RxJavaPlugins.setErrorHandler(expected -> {}); // the TCK violates the protocol on purpose
    }

    @AfterAll
    static void reset() {
        RxJavaPlugins.reset();
    }

    @TestFactory
    @DisplayName("instant permits, fused")
    Stream<DynamicTest> instant() {
        return verified(RateLimit.of(Limit.unlimited()), true, Long.MAX_VALUE - 1);
    }

    @TestFactory
    @DisplayName("instant permits, not fused, with read-ahead")
    Stream<DynamicTest> instantReadingAhead() {
        return verified(
                RateLimit.of(Limit.unlimited(), StreamOptions.defaults().prefetch(4)), false, Long.MAX_VALUE - 1);
    }

    @TestFactory
    @DisplayName("permits paced by timers, one each 200 microseconds")
    Stream<DynamicTest> paced() {
        return verified(RateLimit.of(Limit.tokenBucket(1, 5000, ofSeconds(1))), true, Integer.MAX_VALUE);
    }

    @TestFactory
    @DisplayName("permits paced by timers, not fused")
    Stream<DynamicTest> pacedNotFused() {
        return verified(RateLimit.of(Limit.tokenBucket(1, 5000, ofSeconds(1))), false, Integer.MAX_VALUE);
    }

    @TestFactory
    @DisplayName("one limiter shared by all publishers")
    Stream<DynamicTest> shared() {
        return verified(RateLimit.with(SHARED), false, Integer.MAX_VALUE);
    }

    @TestFactory
    @DisplayName("the subscription gated, by one limiter for all")
    Stream<DynamicTest> subscriptionGated() {
        return verified(RateLimit.perSubscription(SHARED), true, Long.MAX_VALUE - 1);
    }

    @TestFactory
    @DisplayName("an observable that becomes a flowable")
    Stream<DynamicTest> observable() {
        return tests(new Verification(
                elements -> Observable.rangeLong(0, Math.min(elements, 100_000)) // or it would buffer them all
                        .compose(RateLimit.of(
                                Limit.unlimited(), StreamOptions.defaults().buffer(1000)))
                        .toFlowable(BackpressureStrategy.BUFFER),
                Observable.<Long>error(new IllegalStateException("forced"))
                        .compose(RateLimit.of(Limit.unlimited()))
                        .toFlowable(BackpressureStrategy.BUFFER),
                Integer.MAX_VALUE));
    }

    @TestFactory
    @DisplayName("the subscriber of the operator")
    Stream<DynamicTest> subscriber() {
        SubscriberVerification verification = new SubscriberVerification();
        verification.startPublisherExecutorService();
        return tests(verification).onClose(verification::shutdownPublisherExecutorService);
    }

    private static Stream<DynamicTest> verified(FlowableTransformer<Long, Long> limit, boolean fused, long most) {
        return tests(new Verification(
                elements -> {
                    Flowable<Long> source = Flowable.rangeLong(0, elements);
                    return (fused ? source : source.hide()).compose(limit);
                },
                Flowable.<Long>error(new IllegalStateException("forced")).compose(limit),
                most));
    }

    private static Stream<DynamicTest> tests(Object verification) {
        return Stream.of(verification.getClass().getMethods())
                .filter(method -> method.isAnnotationPresent(Test.class))
                .sorted(Comparator.comparing(Method::getName))
                .map(method -> DynamicTest.dynamicTest(method.getName(), () -> call(verification, method)));
    }

    /** Looks for what it expects every ten milliseconds; unless it is told, it looks only once all time is over. */
    private static TestEnvironment environment() {
        return new TestEnvironment(2_000, 30, 10);
    }

    private static void call(Object verification, Method method) throws Throwable {
        try {
            verification.getClass().getMethod("setUp").invoke(verification);
            method.invoke(verification);
        } catch (InvocationTargetException failed) {
            if (!(failed.getCause() instanceof SkipException)) {
                throw failed.getCause();
            }
            if (method.getName().startsWith("required")) {
                throw new AssertionError("A required test was skipped", failed.getCause());
            }
        }
    }

    /** Public for the reflection of TestNG's likes. */
    public static final class Verification extends PublisherVerification<Long> {

        private final TestEnvironment environment;
        private final LongFunction<Publisher<Long>> publishers;
        private final Publisher<Long> failing;
        private final long most;

        Verification(LongFunction<Publisher<Long>> publishers, Publisher<Long> failing, long most) {
            this(environment(), publishers, failing, most);
        }

        private Verification(
                TestEnvironment environment,
                LongFunction<Publisher<Long>> publishers,
                Publisher<Long> failing,
                long most) {
            super(environment);
            this.environment = environment;
            this.publishers = publishers;
            this.failing = failing;
            this.most = most;
        }

        /** The kit looks for it once, after a collection, and gives that a tenth of a second. */
        @Override
        @Test
        public void required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber()
                throws Throwable {
            activePublisherTest(3, false, publisher -> {
                WeakReference<?> subscriber = cancelled(publisher);
                Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> {
                    System.gc();
                    return subscriber.refersTo(null);
                });
                environment.verifyNoAsyncErrorsNoDelay();
            });
        }

        private WeakReference<?> cancelled(Publisher<Long> publisher) throws InterruptedException {
            TestEnvironment.ManualSubscriber<Long> subscriber = environment.newManualSubscriber(publisher);
            subscriber.request(1);
            subscriber.nextElement();
            subscriber.cancel();
            return new WeakReference<>(subscriber);
        }

        @Override
        public Publisher<Long> createPublisher(long elements) {
            return publishers.apply(elements);
        }

        @Override
        public Publisher<Long> createFailedPublisher() {
            return failing;
        }

        @Override
        public long maxElementsFromPublisher() {
            return most;
        }
    }

    /** Public for the reflection of TestNG's likes. */
    public static final class SubscriberVerification extends SubscriberWhiteboxVerification<Long> {

        SubscriberVerification() {
            super(environment());
        }

        @Override
        public Subscriber<Long> createSubscriber(WhiteboxSubscriberProbe<Long> probe) {
            return new ElementSubscriber<>(
                    new Probed(probe), GatePlan.own(Limit.unlimited(), StreamOptions.defaults()));
        }

        @Override
        public Long createElement(int element) {
            return (long) element;
        }
    }

    private record Probed(SubscriberWhiteboxVerification.WhiteboxSubscriberProbe<Long> probe)
            implements Subscriber<Long> {

        @Override
        public void onSubscribe(Subscription subscription) {
            probe.registerOnSubscribe(new SubscriberWhiteboxVerification.SubscriberPuppet() {
                @Override
                public void triggerRequest(long elements) {
                    subscription.request(elements);
                }

                @Override
                public void signalCancel() {
                    subscription.cancel();
                }
            });
        }

        @Override
        public void onNext(Long element) {
            probe.registerOnNext(element);
        }

        @Override
        public void onError(Throwable error) {
            probe.registerOnError(error);
        }

        @Override
        public void onComplete() {
            probe.registerOnComplete();
        }
    }
}
