package dev.weir.reactor;

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

    /** How long what was handed to a scheduler before the cancel may take to let go of the subscriber. */
    private static final long RELEASE_MILLIS = 1_000;

    RateLimitVerification() {
        super(new TestEnvironment(TIMEOUT_MILLIS, QUIET_MILLIS, LOOK_MILLIS), RELEASE_MILLIS);
    }

    abstract Flux<Integer> limited(Flux<Integer> source);

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
