package dev.weir.rxjava;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.stream.StreamOptions;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.observers.BaseTestConsumer;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rule 1.9: what keeps a stream from beginning is said to downstream, after its subscription, and not thrown. */
class BrokenLimitTest {

    private final IllegalStateException broken = new IllegalStateException("on purpose");

    private final Limit limit = new Limit() {
        @Override
        public int capacity() {
            return 1;
        }

        @Override
        public PermitPolicy newPolicy(long nowNanos) {
            throw broken;
        }
    };

    @RegisterExtension
    final Plugins plugins = Plugins.withRealTime();

    static Stream<Function<RateLimit<Integer>, BaseTestConsumer<?, ?>>> kinds() {
        return Stream.of(
                limit -> Flowable.just(1).compose(limit).test(),
                limit -> Observable.just(1).compose(limit).test(),
                limit -> Single.just(1).compose(limit).test(),
                limit -> Maybe.just(1).compose(limit).test(),
                limit -> Completable.complete().compose(limit).test());
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("a limit that has no policy to give")
    void noPolicy(Function<RateLimit<Integer>, BaseTestConsumer<?, ?>> subscribing) {
        subscribing.apply(RateLimit.of(limit)).assertFailure(IllegalStateException.class);
        subscribing
                .apply(RateLimit.of(limit, StreamOptions.defaults().buffer(2)))
                .assertFailure(IllegalStateException.class);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("a plugin that has no scheduler to give")
    void noScheduler(Function<RateLimit<Integer>, BaseTestConsumer<?, ?>> subscribing) {
        RxJavaPlugins.setComputationSchedulerHandler(usual -> {
            throw broken;
        });
        RateLimiter limiter = RateLimiter.of(Limit.unlimited());
        subscribing.apply(RateLimit.with(limiter)).assertFailure(IllegalStateException.class);
        subscribing.apply(RateLimit.perSubscription(limiter)).assertFailure(IllegalStateException.class);
    }
}
