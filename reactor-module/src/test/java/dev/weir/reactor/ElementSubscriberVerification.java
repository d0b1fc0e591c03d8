package dev.weir.reactor;

import dev.weir.RateLimiter;
import dev.weir.gate.GatePlan;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import java.time.Duration;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.reactivestreams.tck.SubscriberWhiteboxVerification;
import org.reactivestreams.tck.TestEnvironment;
import org.testng.annotations.Test;
import reactor.core.publisher.BaseSubscriber;

/** The rules of Reactive Streams for subscribers, held against the one that asks for permits. */
@Test
public final class ElementSubscriberVerification extends SubscriberWhiteboxVerification<Integer> {

    public ElementSubscriberVerification() {
        super(new TestEnvironment(Duration.ofSeconds(2).toMillis(), 40));
    }

    @Override
    public Subscriber<Integer> createSubscriber(WhiteboxSubscriberProbe<Integer> probe) {
        GatePlan<Integer> plan = GatePlan.of(RateLimiter.of(Limit.unlimited()), StreamOptions.defaults());
        return new ElementSubscriber<>(new Probed(probe), false, plan, ReactorThreads.inForce());
    }

    @Override
    public Integer createElement(int element) {
        return element;
    }

    /** Downstream of the subscriber under test: tells the probe what comes through, and does what it says. */
    private static final class Probed extends BaseSubscriber<Integer> {

        private final WhiteboxSubscriberProbe<Integer> probe;

        private Probed(WhiteboxSubscriberProbe<Integer> probe) {
            this.probe = probe;
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            probe.registerOnSubscribe(new SubscriberPuppet() {
                @Override
                public void triggerRequest(long elements) {
                    request(elements);
                }

                @Override
                public void signalCancel() {
                    cancel();
                }
            });
        }

        @Override
        protected void hookOnNext(Integer value) {
            probe.registerOnNext(value);
        }

        @Override
        protected void hookOnComplete() {
            probe.registerOnComplete();
        }

        @Override
        protected void hookOnError(Throwable error) {
            probe.registerOnError(error);
        }
    }
}
