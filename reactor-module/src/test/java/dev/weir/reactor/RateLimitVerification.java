package dev.weir.reactor;

import java.lang.ref.WeakReference;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.reactivestreams.tck.TestEnvironment;
import org.testng.annotations.Test;
import reactor.core.publisher.Flux;

/**
 * The rules of Reactive Streams for publishers, by the kit that comes with them. Run by {@link ReactiveStreamsTest}, for each
 * of the {@link Verifications}.
 */
@Test
abstract class RateLimitVerification extends PublisherVerification<Integer> {

    /** Far beyond what is needed on a busy machine; only tests that fail wait as long. */
    private static final long TIMEOUT_MILLIS = 2_000;

    /** For how long it is watched that nothing more happens. */
    private static final long QUIET_MILLIS = 40;

    /** How often it is looked for an error that has to come; without, once all time is over. */
    private static final long LOOK_MILLIS = 10;

    /** How long what was handed to a scheduler before the cancel, and the collector, may take to let go of the subscriber. */
    private static final Duration RELEASE = Duration.ofSeconds(20);

    private final TestEnvironment environment;

    RateLimitVerification() {
        this(new TestEnvironment(TIMEOUT_MILLIS, QUIET_MILLIS, LOOK_MILLIS));
    }

    private RateLimitVerification(TestEnvironment environment) {
        super(environment);
        this.environment = environment;
    }

    abstract Flux<Integer> limited(Flux<Integer> source);

    /** The kit looks for it once, after a collection, and gives that a tenth of a second. */
    @Override
    public void required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber()
            throws Throwable {
        activePublisherTest(3, false, publisher -> {
            WeakReference<?> subscriber = cancelled(publisher);
            Awaitility.await().atMost(RELEASE).until(() -> {
                System.gc();
                return subscriber.refersTo(null);
            });
            environment.verifyNoAsyncErrorsNoDelay();
        });
    }

    private WeakReference<?> cancelled(Publisher<Integer> publisher) throws InterruptedException {
        TestEnvironment.ManualSubscriber<Integer> subscriber = environment.newManualSubscriber(publisher);
        subscriber.request(1);
        subscriber.nextElement();
        subscriber.cancel();
        return new WeakReference<>(subscriber);
    }

    @Override
    public Publisher<Integer> createPublisher(long elements) {
        return limited(source(elements));
    }

    @Override
    public Publisher<Integer> createFailedPublisher() {
        return limited(Flux.error(new IllegalStateException("on purpose")));
    }

    @Override
    public long maxElementsFromPublisher() {
        return Long.MAX_VALUE - 1;
    }

    private static Flux<Integer> source(long elements) {
        return elements >= Integer.MAX_VALUE ? Flux.generate(sink -> sink.next(1)) : Flux.range(0, (int) elements);
    }
}
