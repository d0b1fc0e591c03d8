package dev.weir.webflux;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** Makes requests that no network has seen, and hands them to filters. */
final class Requests {

    static final WebFilterChain OK = exchange -> exchange.getResponse().setComplete();

    private Requests() {}

    static MockServerWebExchange get(String path) {
        return MockServerWebExchange.from(MockServerHttpRequest.get(path));
    }

    static MockServerWebExchange from(String peer) {
        return MockServerWebExchange.from(
                MockServerHttpRequest.get("/").remoteAddress(new InetSocketAddress(literal(peer), 1)));
    }

    static MockServerWebExchange from(String peer, String field, String... lines) {
        return MockServerWebExchange.from(MockServerHttpRequest.get("/")
                .remoteAddress(new InetSocketAddress(literal(peer), 1))
                .header(field, lines));
    }

    static MockServerWebExchange by(String user) {
        Principal principal = () -> user;
        return MockServerWebExchange.builder(MockServerHttpRequest.get("/"))
                .principal(principal)
                .build();
    }

    private static InetAddress literal(String address) {
        try {
            return InetAddress.getByName(address);
        } catch (UnknownHostException malformed) {
            throw new AssertionError(malformed);
        }
    }

    /** Sends a request through a filter and returns its response, which must be there without a wait. */
    static MockServerHttpResponse send(WebFilter filter, MockServerWebExchange exchange) {
        filter.filter(exchange, OK).block(Duration.ZERO.plusSeconds(10));
        return exchange.getResponse();
    }

    static HttpStatusCode status(WebFilter filter, MockServerWebExchange exchange) {
        HttpStatusCode status = send(filter, exchange).getStatusCode();
        return status == null ? HttpStatus.OK : status;
    }

    static String body(MockServerHttpResponse response) {
        return Mono.from(response.getBodyAsString()).blockOptional().orElse("");
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
