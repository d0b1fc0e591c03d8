package dev.weir.webflux;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import reactor.netty.http.server.HttpServerRequest;

/** The peer and the header fields of a request as received, regardless of later changes to the request by filters. */
interface Connection {

    /** Returns the IP address of the peer, if it has one. */
    Optional<IpAddress> peer();

    /** Returns the values of a header field, line by line, in order. */
    List<String> fields(String name);

    /** Returns the connection of a request: that of Reactor Netty if there is one, otherwise what the request reports. */
    static Connection of(ServerHttpRequest request) {
        return OverNetty.IS_PRESENT ? OverNetty.of(request) : new OfSpring(request);
    }

    private static Optional<IpAddress> addressOf(@Nullable SocketAddress socket) {
        return socket instanceof InetSocketAddress internet
                ? Optional.ofNullable(internet.getAddress()).map(IpAddress::of)
                : Optional.empty();
    }

    /** The values that the request reports, which filters may have changed. */
    record OfSpring(ServerHttpRequest request) implements Connection {

        @Override
        public Optional<IpAddress> peer() {
            return addressOf(request.getRemoteAddress());
        }

        @Override
        public List<String> fields(String name) {
            return HeaderLines.of(request.getHeaders(), name);
        }
    }

    /** The request as Reactor Netty read it. */
    record OverNetty(HttpServerRequest request) implements Connection {

        static final boolean IS_PRESENT = isPresent();

        /** Uses the class and does not look for its name, which a native image would not find without a hint. */
        private static boolean isPresent() {
            try {
                return HttpServerRequest.class.isInterface();
            } catch (LinkageError absent) {
                return false;
            }
        }

        static Connection of(ServerHttpRequest request) {
            try {
                Object received = ServerHttpRequestDecorator.getNativeRequest(request);
                return received instanceof HttpServerRequest netty ? new OverNetty(netty) : new OfSpring(request);
            } catch (IllegalArgumentException | IllegalStateException ofNoServer) {
                return new OfSpring(request);
            }
        }

        @Override
        public Optional<IpAddress> peer() {
            return addressOf(request.connectionRemoteAddress());
        }

        @Override
        public List<String> fields(String name) {
            return request.requestHeaders().getAll(name);
        }
    }
}
