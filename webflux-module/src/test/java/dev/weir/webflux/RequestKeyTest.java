package dev.weir.webflux;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpStatus;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.util.pattern.PathPatternParser;
import reactor.core.publisher.Mono;

class RequestKeyTest {

    @Test
    @DisplayName("keys by principal, header, route and path")
    void sources() {
        assertThat(RequestKey.principal().keyOf(Requests.by("ada")).block()).isEqualTo("ada");
        assertThat(RequestKey.principal().keyOf(Requests.get("/")).blockOptional())
                .isEmpty();
        assertThat(RequestKey.principal().keyOf(Requests.by(null)).blockOptional())
                .as("of a principal without a name")
                .isEmpty();
        assertThat(RequestKey.header("x-api-key").keyOf(withKey("k")).block()).isEqualTo("k");
        assertThat(RequestKey.header("x-api-key").keyOf(Requests.get("/")).blockOptional())
                .isEmpty();
        MockServerWebExchange mapped = Requests.get("/users/1");
        assertThat(RequestKey.route().keyOf(mapped).blockOptional()).isEmpty();
        mapped.getAttributes().put(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE, "/users/{id}");
        assertThat(RequestKey.route().keyOf(mapped).block()).isEqualTo("/users/{id}");
        RequestKey paths = RequestKey.path("/users/{id}", "/users/**");
        assertThat(paths.keyOf(mapped).block()).isEqualTo("/users/{id}");
        assertThat(paths.keyOf(Requests.get("/users/1/friends")).block()).isEqualTo("/users/**");
        assertThat(paths.keyOf(Requests.get("/")).blockOptional()).isEmpty();
        assertThat(RequestKey.path("users/*").keyOf(mapped).block()).isEqualTo("/users/*");
    }

    @Test
    @DisplayName("paths match as the parser of the application says, for keys and for filters")
    void pathsByParser() {
        PathPatternParser inAnyCase = new PathPatternParser();
        inAnyCase.setCaseSensitive(false);
        RequestKey key = RequestKey.path(inAnyCase, "users/{id}");
        assertThat(key.keyOf(Requests.get("/USERS/1")).block()).isEqualTo("/users/{id}");
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(RateLimiter.of(1, ofMinutes(1)))
                .paths(inAnyCase, "/users/*")
                .build();
        assertThat(Requests.status(filter, Requests.get("/Users/1"))).isEqualTo(HttpStatus.OK);
        assertThat(Requests.status(filter, Requests.get("/uSers/2"))).isEqualTo(HttpStatus.TOO_MANY_REQUESTS);
        assertThat(Requests.status(filter, Requests.get("/others"))).isEqualTo(HttpStatus.OK);
    }

    @Test
    @DisplayName("two keys as one cannot be mistaken for two others")
    void pairs() {
        RequestKey pair = RequestKey.header("a").and(RequestKey.header("b"));
        assertThat(pair.keyOf(withFields("1", "11")).block())
                .isNotEqualTo(pair.keyOf(withFields("11", "1")).block());
        assertThat(pair.keyOf(withKey("only")).blockOptional()).isEmpty();
    }

    @Test
    @DisplayName("an empty part is none, so that a pair with it has no key")
    void emptyPart() {
        RequestKey pair = RequestKey.header("a").and(RequestKey.header("b"));
        RequestKey triple = pair.and(RequestKey.path("/**"));
        for (ServerWebExchange half : List.of(withFields("", "1"), withFields("1", ""), withFields("", ""))) {
            assertThat(pair.keyOf(half).blockOptional()).isEmpty();
            assertThat(triple.keyOf(half).blockOptional()).isEmpty();
        }
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(pair, PartitionedRateLimiter.of(Limit.of(1, ofSeconds(60))), WithoutKey.REFUSE)
                .build();
        assertThat(Requests.status(filter, withFields("", "1"))).isEqualTo(HttpStatus.FORBIDDEN);
    }

    @Test
    @DisplayName("long keys are kept as hashes, short ones as they are, and none can pass for the hash of another")
    void bounded() {
        String longest = "k".repeat(BoundedKey.LONGEST);
        assertThat(BoundedKey.of(longest)).isEqualTo(longest);
        String hashed = BoundedKey.of(longest + "k");
        assertThat(hashed).hasSizeGreaterThan(BoundedKey.LONGEST).isNotEqualTo(BoundedKey.of(longest + "l"));
        assertThat(BoundedKey.of(hashed)).isNotEqualTo(hashed);
        assertThat(BoundedKey.of("k".repeat(1_000_000))).hasSameSizeAs(hashed);
    }

    @Test
    @DisplayName("long keys that differ only in what UTF-8 cannot write, unpaired surrogates, are different keys")
    void unpairedSurrogates() {
        String same = "k".repeat(BoundedKey.LONGEST);
        assertThat(Set.of(
                        BoundedKey.of(same + "\ud800"),
                        BoundedKey.of(same + "\udbff"),
                        BoundedKey.of(same + "\udc00"),
                        BoundedKey.of(same + "?")))
                .hasSize(4);
    }

    @Test
    @DisplayName("keys of any length count each for itself")
    void longKeysThroughTheFilter() {
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(RequestKey.header("x-api-key"), PartitionedRateLimiter.of(Limit.of(1, ofSeconds(60))))
                .build();
        assertThat(Requests.status(filter, withKey("a".repeat(5_000)))).isEqualTo(HttpStatus.OK);
        assertThat(Requests.status(filter, withKey("a".repeat(5_001)))).isEqualTo(HttpStatus.OK);
        assertThat(Requests.status(filter, withKey("a".repeat(5_000)))).isEqualTo(HttpStatus.TOO_MANY_REQUESTS);
        assertThat(Requests.status(filter, withKey(BoundedKey.of("a".repeat(5_000)))))
                .isEqualTo(HttpStatus.OK);
    }

    @Test
    @DisplayName("a key that answers with null is named, alone and in a pair")
    void nullInsteadOfEmpty() {
        RequestKey careless = new RequestKey() {
            @Override
            public Mono<String> keyOf(ServerWebExchange exchange) {
                return null;
            }

            @Override
            public String toString() {
                return "careless";
            }
        };
        RequestKey path = RequestKey.path("/**");
        for (RequestKey key : new RequestKey[] {careless, careless.and(path), path.and(careless)}) {
            RateLimitWebFilter filter = RateLimitWebFilter.builder()
                    .limit(key, PartitionedRateLimiter.of(Limit.of(1, ofSeconds(60))))
                    .build();
            assertThatNullPointerException()
                    .isThrownBy(() -> Requests.send(filter, Requests.get("/")))
                    .withMessage("RequestKey careless returned null: no key is an empty Mono");
        }
    }

    @Test
    @DisplayName("a key by path needs a pattern: without one, no request would have a key")
    void noPattern() {
        assertThatIllegalArgumentException()
                .isThrownBy(RequestKey::path)
                .withMessage("there must be at least 1 pattern, but there are 0");
    }

    @Test
    @DisplayName("a pattern that is missing is named")
    void missingPattern() {
        assertThatNullPointerException()
                .isThrownBy(() -> RequestKey.path("/a", null))
                .withMessage("patterns[1]");
        assertThatNullPointerException()
                .isThrownBy(() -> RequestKey.path((String[]) null))
                .withMessage("patterns");
        assertThatNullPointerException()
                .isThrownBy(() -> RateLimitWebFilter.builder().paths((String[]) null))
                .withMessage("patterns");
    }

    @Test
    @DisplayName(
            "a limiter is found, and its limit chosen, under the key as it is kept: hashed if long, empty if there is none")
    void keysAsKept() {
        String longKey = "k".repeat(65);
        Set<String> asked = ConcurrentHashMap.newKeySet();
        PartitionedRateLimiter<String> limiters = PartitionedRateLimiter.<String>builder(key -> {
                    asked.add(key);
                    return Limit.of(3, ofMinutes(1));
                })
                .build();
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(RequestKey.header("X-Api-Key"), limiters)
                .build();
        RateLimitWebFilter ofPairs = RateLimitWebFilter.builder()
                .limit(RequestKey.header("a").and(RequestKey.header("b")), limiters)
                .build();

        Requests.send(filter, withKey("ada"));
        Requests.send(filter, withKey(longKey));
        Requests.send(filter, Requests.get("/"));
        Requests.send(ofPairs, withFields("ada", "/search"));

        assertThat(asked).containsExactlyInAnyOrder("ada", RequestKey.kept(longKey), "", "3:ada/search");
        assertThat(RequestKey.kept("ada")).isEqualTo("ada");
        limiters.forKey(RequestKey.kept(longKey)).charge(2);
        assertThat(Requests.status(filter, withKey(longKey))).isEqualTo(HttpStatus.TOO_MANY_REQUESTS);
    }

    private static MockServerWebExchange withKey(String key) {
        return MockServerWebExchange.from(MockServerHttpRequest.get("/").header("X-Api-Key", key));
    }

    private static MockServerWebExchange withFields(String a, String b) {
        return MockServerWebExchange.from(
                MockServerHttpRequest.get("/").header("a", a).header("b", b));
    }
}
