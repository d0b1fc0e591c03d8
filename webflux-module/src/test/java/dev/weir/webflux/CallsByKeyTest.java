package dev.weir.webflux;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimitExceededException;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

class CallsByKeyTest {

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final List<String> arrived = new ArrayList<>();
    private ClientResponse answer = response(200);

    private final PartitionedRateLimiter<String> perHost = PartitionedRateLimiter.<String>builder(
                    host -> Limit.of(10, ofSeconds(1)))
            .name("per-host")
            .timeSource(time)
            .build();

    @Test
    @DisplayName("every attempt pays at the key of its request, those of a retry too")
    void attemptsPay() {
        WebClient client = client(RateLimitExchangeFilter.with(perHost, CallsByKeyTest::host));
        answer = response(500);
        send(client, "one").retry(2).onErrorComplete().block();
        answer = response(200);
        send(client, "other").block();

        assertThat(arrived).containsExactly("one", "one", "one", "other");
        assertThat(perHost.forKey("one").availablePermits()).isEqualTo(7);
        assertThat(perHost.forKey("other").availablePermits()).isEqualTo(9);
    }

    @Test
    @DisplayName("Retry-After pauses the key of the request alone, which is forgotten once that is over")
    void retryAfter() {
        WebClient client = client(RateLimitExchangeFilter.builder(perHost, CallsByKeyTest::host)
                .maxWait(ZERO)
                .maxPause(ofSeconds(30))
                .build());
        answer = response(429, "Retry-After", "70");
        send(client, "one").onErrorComplete().block();
        answer = response(200);
        send(client, "other").block();

        time.advanceBy(ofSeconds(30).minusNanos(1));
        assertThatThrownBy(() -> send(client, "one").block())
                .isInstanceOfSatisfying(RateLimitExceededException.class, refused -> {
                    assertThat(refused.limiterName()).isEqualTo("per-host");
                    assertThat(refused.lease().retryAfter())
                            .hasValueSatisfying(left -> assertThat(left).hasNanos(1));
                });
        time.advanceBy(ofSeconds(1));
        assertThat(perHost.keyCount()).isZero();
        send(client, "one").block();
        assertThat(arrived).containsExactly("one", "other", "one");
    }

    @Test
    @DisplayName("a policy changes the limit of no key, so no key is kept for it")
    void policies() {
        WebClient client = client(RateLimitExchangeFilter.with(perHost, CallsByKeyTest::host));
        answer = response(200, "RateLimit-Policy", "\"x\";q=5;w=1");
        send(client, "one").block();
        send(client, "other").block();

        assertThat(perHost.forKey("one").limit()).isEqualTo(Limit.of(10, ofSeconds(1)));
        time.advanceBy(ofSeconds(1));
        assertThat(perHost.keyCount()).isZero();
    }

    @Test
    @DisplayName("a call whose key cannot be told fails, and is not sent")
    void noKey() {
        assertThatThrownBy(() -> send(client(RateLimitExchangeFilter.with(perHost, request -> null)), "one")
                        .block())
                .isInstanceOf(NullPointerException.class)
                .hasMessage("key");
        IllegalStateException planned = new IllegalStateException("planned");
        assertThatThrownBy(() -> send(
                                client(RateLimitExchangeFilter.with(perHost, request -> {
                                    throw planned;
                                })),
                                "one")
                        .block())
                .isSameAs(planned);
        assertThat(arrived).isEmpty();
        assertThat(perHost.keyCount()).isZero();
    }

    private WebClient client(RateLimitExchangeFilter filter) {
        return WebClient.builder()
                .exchangeFunction(request -> Mono.fromSupplier(() -> {
                    arrived.add(host(request));
                    return answer.mutate().build();
                }))
                .filter(filter)
                .build();
    }

    private static String host(ClientRequest request) {
        return request.url().getHost();
    }

    private static Mono<?> send(WebClient client, String host) {
        return client.get().uri(URI.create("http://" + host + "/")).retrieve().toBodilessEntity();
    }

    private static ClientResponse response(int status, String... field) {
        ClientResponse.Builder builder = ClientResponse.create(HttpStatus.valueOf(status));
        if (field.length > 0) {
            builder.header(field[0], field[1]);
        }
        return builder.build();
    }
}
