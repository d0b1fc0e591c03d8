package dev.weir.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.netty.http.HttpProtocol;

/**
 * As many connections of HTTP/1.1 as this process may open, up to ten thousand: each takes two files, as both its ends are here. Takes
 * long, so it is run by its name.
 */
class ManyConnectionsRealTime {

    private static final int SPARE = 500;

    @Test
    @DisplayName("thousands of connections are closed while they wait")
    void connections() {
        UnixOperatingSystemMXBean files = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long left = files.getMaxFileDescriptorCount() - files.getOpenFileDescriptorCount() - SPARE;
        int clients = (int) Math.min(10_000, left / 2);
        assertThat(clients).isGreaterThan(100);
        try (SocketStorm storm = new SocketStorm(HttpProtocol.HTTP11, SocketStormTest.connections(clients))) {
            storm.blow(clients);
        }
        System.out.printf("%,d connections of at most %,d files%n", clients, files.getMaxFileDescriptorCount());
    }
}
