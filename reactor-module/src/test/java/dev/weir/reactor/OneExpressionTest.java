package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Every form is one expression without a type witness: that it compiles is the test. */
class OneExpressionTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final StreamOptions OPTIONS = StreamOptions.defaults();

    private final PartitionedRateLimiter<String> perWord = PartitionedRateLimiter.of(Limit.unlimited());
    private final RateLimiter limiter = RateLimiter.of(Limit.unlimited());

    @Test
    @DisplayName("flux.transform(...) is a Flux of the same elements")
    void flux() {
        Flux<String> words = Flux.just("a", "b");
        Flux<Integer> lengths = words.transform(RateLimit.of(5, SECOND)).map(String::length);
        assertThat(lengths.collectList().block(SECOND)).containsExactly(1, 1);
        List<Flux<String>> forms = List.of(
                words.transform(RateLimit.of(Limit.of(5, SECOND))),
                words.transform(RateLimit.of(Limit.of(5, SECOND), OPTIONS)),
                words.transform(RateLimit.with(limiter)),
                words.transform(RateLimit.with(limiter, OPTIONS)),
                words.transform(RateLimit.weighted(limiter, String::length)),
                words.transform(RateLimit.weighted(limiter, word -> word.length(), OPTIONS)),
                words.transform(RateLimit.perKey(perWord, word -> word)),
                words.transform(RateLimit.perKey(perWord, Function.identity(), OPTIONS)),
                words.transform(RateLimit.perSubscription(limiter)),
                words.transform(RateLimit.perSubscription(limiter, OPTIONS)),
                words.transformDeferred(RateLimit.of(5, SECOND)));
        assertThat(forms)
                .allSatisfy(form -> assertThat(form.collectList().block(SECOND)).containsExactly("a", "b"));
    }

    @Test
    @DisplayName("mono.transform(...) is a Mono of the same element")
    void mono() {
        Mono<String> word = Mono.just("a");
        Mono<Integer> length = word.transform(RateLimit.of(5, SECOND)).map(String::length);
        assertThat(length.block(SECOND)).isEqualTo(1);
        List<Mono<String>> forms = List.of(
                word.transform(RateLimit.of(Limit.of(5, SECOND))),
                word.transform(RateLimit.of(Limit.of(5, SECOND), OPTIONS)),
                word.transform(RateLimit.with(limiter)),
                word.transform(RateLimit.with(limiter, OPTIONS)),
                word.transform(RateLimit.weighted(limiter, String::length)),
                word.transform(RateLimit.weighted(limiter, String::length, OPTIONS)),
                word.transform(RateLimit.perKey(perWord, key -> key)),
                word.transform(RateLimit.perSubscription(limiter)),
                word.transform(RateLimit.perSubscription(limiter, OPTIONS)));
        assertThat(forms).allSatisfy(form -> assertThat(form.block(SECOND)).isEqualTo("a"));
    }

    @Test
    @DisplayName("parallelFlux.transformGroups(...) is a ParallelFlux of the same elements, each with a permit")
    void parallelFlux() {
        List<Integer> items = Flux.range(1, 100)
                .parallel(4)
                .runOn(Schedulers.parallel())
                .transformGroups(RateLimit.with(limiter))
                .transformGroups(RateLimit.of(Limit.unlimited()))
                .sequential()
                .collectList()
                .block(Duration.ofSeconds(5));
        assertThat(items).hasSize(100).doesNotHaveDuplicates();
        assertThat(limiter.statistics().acquired()).isEqualTo(100);
    }

    @Test
    @DisplayName("applied to any publisher it is a Flux, applied to a Mono a Mono")
    void anyPublisher() {
        Publisher<Integer> foreign = subscriber -> Flux.range(1, 3).subscribe(subscriber);
        RateLimit<Integer> limit = RateLimit.of(5, SECOND);
        assertThat(limit.apply(foreign)).isInstanceOf(Flux.class);
        assertThat(limit.apply(Flux.just(1))).isInstanceOf(Flux.class);
        assertThat(limit.apply(Mono.just(1))).isInstanceOf(Mono.class);
        assertThat(Flux.from(limit.apply(foreign)).collectList().block(SECOND)).containsExactly(1, 2, 3);
    }

    @Test
    @DisplayName("a call with its lease is what the function returns")
    void withLease() {
        Mono<Integer> length =
                RateLimit.withLease(limiter, 1, lease -> Mono.just("a").map(String::length));
        Flux<Integer> lengths =
                RateLimit.withLeaseMany(limiter, 1, lease -> Flux.just("a", "b").map(String::length));
        Mono<CharSequence> wider = RateLimit.withLease(limiter, 1, lease -> Mono.just("a"), OPTIONS);
        Flux<CharSequence> widerMany = RateLimit.withLeaseMany(limiter, 1, lease -> Mono.just("a"), OPTIONS);
        assertThat(length.block(SECOND)).isEqualTo(1);
        assertThat(lengths.collectList().block(SECOND)).containsExactly(1, 1);
        assertThat(wider.concatWith(widerMany).collectList().block(SECOND)).containsExactly("a", "a");
    }

    @Test
    @DisplayName("null arguments are named, also before anything is subscribed")
    void nulls() {
        assertThatNullPointerException().isThrownBy(() -> RateLimit.of(null)).withMessage("limit");
        assertThatNullPointerException()
                .isThrownBy(() -> RateLimit.of(Limit.unlimited(), null))
                .withMessage("options");
        assertThatNullPointerException().isThrownBy(() -> RateLimit.with(null)).withMessage("limiter");
        assertThatNullPointerException()
                .isThrownBy(() -> RateLimit.with(limiter, null))
                .withMessage("options");
        assertThatNullPointerException()
                .isThrownBy(() -> RateLimit.weighted(limiter, null))
                .withMessage("permits");
        assertThatNullPointerException()
                .isThrownBy(() -> RateLimit.perKey(null, word -> word))
                .withMessage("limiters");
        assertThatNullPointerException()
                .isThrownBy(() -> RateLimit.perKey(perWord, null))
                .withMessage("key");
        assertThatNullPointerException()
                .isThrownBy(() -> RateLimit.perSubscription(null))
                .withMessage("limiter");
        assertThatNullPointerException()
                .isThrownBy(() -> RateLimit.of(5, SECOND).apply(null))
                .withMessage("source");
        assertThatNullPointerException().isThrownBy(() -> ReactorTime.of(null)).withMessage("scheduler");
    }

    @Test
    @DisplayName("a scheduler that cannot delay is refused when it is adapted")
    void schedulersThatCannotDelay() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ReactorTime.of(Schedulers.immediate()))
                .withMessageContaining("not capable of time-based scheduling");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ReactorTime.of(Schedulers.fromExecutor(Runnable::run)))
                .withMessageContaining("not capable of time-based scheduling");
    }
}
