package dev.weir.rxjava;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** That all of this compiles is most of the test. */
class ComposeInOneExpressionTest {

    private static final RateLimiter LIMITER = RateLimiter.of(Limit.unlimited());
    private static final PartitionedRateLimiter<Integer> LIMITERS = PartitionedRateLimiter.of(Limit.unlimited());
    private static final StreamOptions OPTIONS = StreamOptions.defaults();

    @RegisterExtension
    final Plugins plugins = Plugins.withVirtualTime();

    @Test
    @DisplayName("a flowable: each factory, no type witness")
    void flowable() {
        Flowable<String> source = Flowable.just("a");
        Flowable<String> limited = source.compose(RateLimit.of(5, ofSeconds(1)));
        assertThat(limited.blockingFirst()).isEqualTo("a");
        Flowable<Integer> lengths = source.compose(RateLimit.of(5, ofSeconds(1)))
                .compose(RateLimit.of(Limit.unlimited()))
                .compose(RateLimit.of(Limit.unlimited(), OPTIONS))
                .compose(RateLimit.with(LIMITER))
                .compose(RateLimit.with(LIMITER, OPTIONS))
                .compose(RateLimit.weighted(LIMITER, String::length))
                .compose(RateLimit.weighted(LIMITER, text -> text.length(), OPTIONS))
                .compose(RateLimit.perKey(LIMITERS, String::length))
                .compose(RateLimit.perKey(LIMITERS, text -> text.length(), OPTIONS))
                .compose(RateLimit.perSubscription(LIMITER))
                .compose(RateLimit.perSubscription(LIMITER, OPTIONS))
                .map(String::length);
        assertThat(lengths.blockingFirst()).isEqualTo(1);
    }

    @Test
    @DisplayName("an observable: each factory, no type witness")
    void observable() {
        Observable<String> source = Observable.just("a");
        Observable<String> limited = source.compose(RateLimit.of(5, ofSeconds(1)));
        assertThat(limited.blockingFirst()).isEqualTo("a");
        Observable<Integer> lengths = source.compose(RateLimit.of(5, ofSeconds(1)))
                .compose(RateLimit.of(Limit.unlimited()))
                .compose(RateLimit.of(Limit.unlimited(), OPTIONS))
                .compose(RateLimit.with(LIMITER))
                .compose(RateLimit.with(LIMITER, OPTIONS))
                .compose(RateLimit.weighted(LIMITER, String::length))
                .compose(RateLimit.weighted(LIMITER, text -> text.length(), OPTIONS))
                .compose(RateLimit.perKey(LIMITERS, String::length))
                .compose(RateLimit.perKey(LIMITERS, text -> text.length(), OPTIONS))
                .compose(RateLimit.perSubscription(LIMITER))
                .compose(RateLimit.perSubscription(LIMITER, OPTIONS))
                .map(String::length);
        assertThat(lengths.blockingFirst()).isEqualTo(1);
    }

    @Test
    @DisplayName("a single: each factory, no type witness")
    void single() {
        Single<String> source = Single.just("a");
        Single<String> limited = source.compose(RateLimit.of(5, ofSeconds(1)));
        assertThat(limited.blockingGet()).isEqualTo("a");
        Single<Integer> lengths = source.compose(RateLimit.of(5, ofSeconds(1)))
                .compose(RateLimit.of(Limit.unlimited()))
                .compose(RateLimit.of(Limit.unlimited(), OPTIONS))
                .compose(RateLimit.with(LIMITER))
                .compose(RateLimit.with(LIMITER, OPTIONS))
                .compose(RateLimit.weighted(LIMITER, String::length))
                .compose(RateLimit.weighted(LIMITER, text -> text.length(), OPTIONS))
                .compose(RateLimit.perKey(LIMITERS, String::length))
                .compose(RateLimit.perKey(LIMITERS, text -> text.length(), OPTIONS))
                .compose(RateLimit.perSubscription(LIMITER))
                .compose(RateLimit.perSubscription(LIMITER, OPTIONS))
                .map(String::length);
        assertThat(lengths.blockingGet()).isEqualTo(1);
    }

    @Test
    @DisplayName("a maybe: each factory, no type witness")
    void maybe() {
        Maybe<String> source = Maybe.just("a");
        Maybe<String> limited = source.compose(RateLimit.of(5, ofSeconds(1)));
        assertThat(limited.blockingGet()).isEqualTo("a");
        Maybe<Integer> lengths = source.compose(RateLimit.of(5, ofSeconds(1)))
                .compose(RateLimit.of(Limit.unlimited()))
                .compose(RateLimit.of(Limit.unlimited(), OPTIONS))
                .compose(RateLimit.with(LIMITER))
                .compose(RateLimit.with(LIMITER, OPTIONS))
                .compose(RateLimit.weighted(LIMITER, String::length))
                .compose(RateLimit.weighted(LIMITER, text -> text.length(), OPTIONS))
                .compose(RateLimit.perKey(LIMITERS, String::length))
                .compose(RateLimit.perKey(LIMITERS, text -> text.length(), OPTIONS))
                .compose(RateLimit.perSubscription(LIMITER))
                .compose(RateLimit.perSubscription(LIMITER, OPTIONS))
                .map(String::length);
        assertThat(lengths.blockingGet()).isEqualTo(1);
    }

    @Test
    @DisplayName("a completable: each factory that needs no element, no type witness")
    void completable() {
        Completable limited = Completable.complete()
                .compose(RateLimit.of(5, ofSeconds(1)))
                .compose(RateLimit.of(Limit.unlimited()))
                .compose(RateLimit.of(Limit.unlimited(), OPTIONS))
                .compose(RateLimit.with(LIMITER))
                .compose(RateLimit.with(LIMITER, OPTIONS))
                .compose(RateLimit.perSubscription(LIMITER))
                .compose(RateLimit.perSubscription(LIMITER, OPTIONS));
        limited.test().assertComplete();
    }

    @Test
    @DisplayName("a completable has no element that could have a cost or a key")
    void completableHasNoElement() {
        assertThatThrownBy(() -> Completable.complete().compose(RateLimit.weighted(LIMITER, any -> 1)))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("Completable");
        assertThatThrownBy(() -> Completable.complete().compose(RateLimit.perKey(LIMITERS, any -> 1)))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    @DisplayName("a call with its lease is what the function returns, no type witness")
    void withLease() {
        Single<Integer> length =
                RateLimit.withLease(LIMITER, 1, lease -> Single.just("a").map(String::length));
        Flowable<Integer> lengths = RateLimit.withLeaseMany(
                LIMITER, 1, lease -> Flowable.just("a", "b").map(String::length));
        Single<CharSequence> wider = RateLimit.withLease(LIMITER, 1, lease -> Single.just("a"), OPTIONS);
        Flowable<CharSequence> widerMany = RateLimit.withLeaseMany(LIMITER, 1, lease -> Flowable.just("a"), OPTIONS);
        assertThat(length.blockingGet()).isEqualTo(1);
        assertThat(lengths.toList().blockingGet()).containsExactly(1, 1);
        wider.concatWith(widerMany.singleOrError()).test().assertValues("a", "a");
    }

    @Test
    @DisplayName("a missing argument is named where it is missing")
    void nulls() {
        assertThatNullPointerException().isThrownBy(() -> RateLimit.of(1, null));
        assertThatNullPointerException().isThrownBy(() -> RateLimit.of(null)).withMessageContaining("limit");
        assertThatNullPointerException()
                .isThrownBy(() -> RateLimit.of(Limit.unlimited(), null))
                .withMessageContaining("options");
        assertThatNullPointerException().isThrownBy(() -> RateLimit.with(null)).withMessageContaining("limiter");
        assertThatNullPointerException()
                .isThrownBy(() -> RateLimit.with(LIMITER, null))
                .withMessageContaining("options");
        assertThatNullPointerException()
                .isThrownBy(() -> RateLimit.weighted(LIMITER, null))
                .withMessageContaining("permits");
        assertThatNullPointerException()
                .isThrownBy(() -> RateLimit.weighted(null, any -> 1))
                .withMessageContaining("limiter");
        assertThatNullPointerException()
                .isThrownBy(() -> RateLimit.perKey(null, any -> 1))
                .withMessageContaining("limiters");
        assertThatNullPointerException()
                .isThrownBy(() -> RateLimit.perKey(LIMITERS, null))
                .withMessageContaining("key");
        assertThatNullPointerException()
                .isThrownBy(() -> RateLimit.perSubscription(null))
                .withMessageContaining("limiter");
        assertThatNullPointerException()
                .isThrownBy(() -> RateLimit.perSubscription(LIMITER, null))
                .withMessageContaining("options");
    }
}
