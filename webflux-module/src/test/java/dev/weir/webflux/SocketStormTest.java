package dev.weir.webflux;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.Http2AllocationStrategy;
import reactor.netty.resources.ConnectionProvider;

/** Clients that disconnect, over real sockets. */
class SocketStormTest {

    @Test
    @DisplayName("ten thousand streams of HTTP/2 on a hundred connections are reset")
    void streams() {
        ConnectionProvider connections = ConnectionProvider.builder("streams")
                .pendingAcquireMaxCount(-1)
                .allocationStrategy(Http2AllocationStrategy.builder()
                        .maxConnections(100)
                        .maxConcurrentStreams(100)
                        .build())
                .build();
        try (SocketStorm storm = new SocketStorm(HttpProtocol.H2C, connections)) {
            storm.blow(10_000);
        }
    }

    @Test
    @DisplayName("hundreds of connections of HTTP/1.1 are closed")
    void connections() {
        try (SocketStorm storm = new SocketStorm(HttpProtocol.HTTP11, connections(500))) {
            storm.blow(500);
        }
    }

    static ConnectionProvider connections(int most) {
        return ConnectionProvider.builder("connections")
                .maxConnections(most)
                .pendingAcquireMaxCount(-1)
                .build();
    }
}
