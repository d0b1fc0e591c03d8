package dev.weir.reactor;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.OnRefused;
import dev.weir.stream.StreamOptions;
import dev.weir.testkit.VirtualTimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A crawler, one host of which is paused after an answer with {@code Retry-After}. */
class PausedHostTest {

    private static final String PAUSED = "paused";
    private static final String OTHER = "other";

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final PartitionedRateLimiter<String> perHost = PartitionedRateLimiter.<String>builder(
                    host -> Limit.of(2, ofSeconds(1)))
            .timeSource(time)
            .build();
    private final RateLimiter all =
            RateLimiter.builder(Limit.of(3, ofSeconds(1))).timeSource(time).build();
    private final StreamOptions here = StreamOptions.defaults().emitOn(Runnable::run);
    private final List<Object> refused = new ArrayList<>();
    private final List<String> fetched = new ArrayList<>();

    private Flux<String> hosts() {
        return Flux.fromStream(Stream.concat(IntStream.range(0, 300).mapToObj(url -> PAUSED), Stream.of(OTHER, OTHER)));
    }

    @Test
    @DisplayName("keeps all hosts waiting, once its URLs take all the room")
    void takesTheRoom() {
        perHost.forKey(PAUSED).pauseFor(ofSeconds(60));
        Disposable crawl =
                hosts().transform(RateLimit.perKey(perHost, host -> host, here)).subscribe(fetched::add);
        time.advanceBy(ofSeconds(59));
        assertThat(fetched).isEmpty();
        time.advanceBy(ofMinutes(5));
        assertThat(fetched).hasSize(302);
        assertThat(crawl.isDisposed()).isTrue();
    }

    @Test
    @DisplayName("keeps no other host waiting if waits are bounded, and its URLs are told")
    void boundedWaits() {
        perHost.forKey(PAUSED).pauseFor(ofSeconds(60));
        StreamOptions bounded =
                here.maxWait(ofSeconds(30)).onRefused(OnRefused.DROP).onDropped(refused::add);
        Disposable crawl = hosts().transform(RateLimit.perKey(perHost, host -> host, bounded))
                .subscribe(fetched::add);
        assertThat(fetched).containsExactly(OTHER, OTHER);
        assertThat(refused).hasSize(300).containsOnly(PAUSED);
        assertThat(crawl.isDisposed()).isTrue();
    }

    @Test
    @DisplayName(
            "keeps no other host waiting where calls ask for both permits, and gets both anew when it is asked again")
    void callsWithBothPermits() {
        Disposable crawl = Flux.just(PAUSED, PAUSED, PAUSED, OTHER, OTHER)
                .flatMap(this::call)
                .subscribe(fetched::add);
        assertThat(fetched).containsExactly("busy", OTHER, OTHER);
        time.advanceBy(ofSeconds(19));
        assertThat(fetched).hasSize(3);
        time.advanceBy(ofSeconds(1));
        assertThat(fetched.subList(3, fetched.size())).containsExactly(PAUSED, PAUSED);
        time.advanceBy(ofSeconds(1));
        assertThat(fetched).hasSize(6).last().isEqualTo(PAUSED);
        assertThat(all.statistics().acquired()).isEqualTo(6);
        assertThat(crawl.isDisposed()).isTrue();
    }

    private Mono<String> call(String host) {
        RateLimiter ofTheHost = perHost.forKey(host);
        return Mono.fromCallable(() -> answer(host))
                .doOnError(IllegalStateException.class, busy -> ofTheHost.pauseFor(ofSeconds(20)))
                .transform(RateLimit.with(RateLimiter.chain(ofTheHost, all), here))
                .retry(3);
    }

    /** The first request to the host is one too many. */
    private String answer(String host) {
        if (host.equals(PAUSED) && fetched.isEmpty()) {
            fetched.add("busy");
            throw new IllegalStateException("429");
        }
        return host;
    }
}
