package dev.weir.webflux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.adapter.ForwardedHeaderTransformer;

class ClientAddressTest {

    private static final String FIELD = "X-Forwarded-For";

    private final ClientAddress behindProxies = ClientAddress.trusting("10.0.0.0/8", "2001:db8:ffff::/48", "192.0.2.7");

    @ParameterizedTest(name = "peer {0}, field {1}: {2}")
    @DisplayName("the first address from the right that is no trusted proxy")
    @CsvSource(
            nullValues = "-",
            value = {
                "203.0.113.9,'1.2.3.4',203.0.113.9",
                "10.0.0.1,'1.2.3.4',1.2.3.4",
                "10.0.0.1,'6.6.6.6, 1.2.3.4',1.2.3.4",
                "10.0.0.1,'6.6.6.6, 1.2.3.4, 10.9.9.9',1.2.3.4",
                "10.0.0.1,'6.6.6.6, 10.3.3.3, 1.2.3.4, 192.0.2.7, 10.9.9.9',1.2.3.4",
                "10.0.0.1,'10.2.2.2, 10.3.3.3',10.2.2.2",
                "10.0.0.1,'',10.0.0.1",
                "10.0.0.1,'unknown',10.0.0.1",
                "10.0.0.1,'1.2.3.4, unknown',10.0.0.1",
                "10.0.0.1,'1.2.3.4, unknown, 10.5.5.5',10.5.5.5",
                "10.0.0.1,'1.2.3.4,',10.0.0.1",
                "10.0.0.1,'1.2.3.4, , 10.5.5.5',10.5.5.5",
                "10.0.0.1,', 1.2.3.4',1.2.3.4",
                "10.0.0.1,'1.2.3.4:5678',1.2.3.4",
                "10.0.0.1,'[2a00:1:2:3:4:5:6:7]:443',2a00:1:2:3:0:0:0:0/64",
                "10.0.0.1,'2a00:1:2:3::9',2a00:1:2:3:0:0:0:0/64",
                "10.0.0.1,'::ffff:1.2.3.4',1.2.3.4",
                "10.0.0.1,'example.com',10.0.0.1",
                "10.0.0.1,'1.2.3',10.0.0.1",
                "10.0.0.1,'1.2.3.4.5',10.0.0.1",
                "10.0.0.1,'256.1.1.1',10.0.0.1",
                "10.0.0.1,'0x7f.1',10.0.0.1",
                "10.0.0.1,'::::',10.0.0.1",
                "10.0.0.1,'\"junk, 1.2.3.4',1.2.3.4",
                "2001:db8:ffff::5,'1.2.3.4',1.2.3.4",
                "2001:db8:fffe::5,'1.2.3.4',2001:db8:fffe:0:0:0:0:0/64"
            })
    void walk(String peer, String field, String expected) {
        assertThat(key(behindProxies, Requests.from(peer, FIELD, field))).isEqualTo(expected);
    }

    @RepeatedTest(50)
    @DisplayName("a client counts as the address that the first proxy saw, whatever it writes")
    void spoofing() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        String client = "203.0.113." + random.nextInt(256);
        List<String> lines = new ArrayList<>();
        for (int line = random.nextInt(4); line > 0; line--) {
            lines.add(junk(random));
        }
        lines.add(junk(random) + ", " + client + ", 10.0.0." + random.nextInt(256));

        assertThat(key(behindProxies, Requests.from("10.1.1.1", FIELD, lines.toArray(String[]::new))))
                .as("seed %d, %s", seed, lines)
                .isEqualTo(client);
    }

    private static String junk(Random random) {
        List<String> pieces = List.of(
                "10.0.0.1",
                "198.51.100.4",
                "\"",
                ",",
                ";",
                "unknown",
                "[::1]",
                ":",
                "%",
                "\\",
                "a".repeat(300),
                " ",
                "10.");
        StringBuilder junk = new StringBuilder();
        for (int piece = random.nextInt(6); piece > 0; piece--) {
            junk.append(pieces.get(random.nextInt(pieces.size())));
        }
        return junk.toString();
    }

    @Test
    @DisplayName("a very long chain of trusted proxies is not followed without end: 64 addresses are read")
    void longChains() {
        for (int proxies : new int[] {64, 100_000}) {
            assertThat(keyBehind(proxies)).isEqualTo("10.0.0.1");
        }
        assertThat(keyBehind(63)).isEqualTo("1.2.3.4");
    }

    private String keyBehind(int proxies) {
        String hops = "10.0.0.1, ".repeat(proxies - 1) + "10.0.0.2";
        return key(behindProxies, Requests.from("10.1.1.1", FIELD, "1.2.3.4", hops));
    }

    @Test
    @DisplayName("a forwarded address is ignored without trusted proxies: the peer counts")
    void peerOnly() {
        assertThat(key(ClientAddress.ofPeer(), Requests.from("198.51.100.1", FIELD, "1.2.3.4")))
                .isEqualTo("198.51.100.1");
    }

    @Test
    @DisplayName("the neighbours in one network of IPv6 are one client, by a prefix that can be chosen")
    void prefixes() {
        assertThat(key(ClientAddress.ofPeer(), Requests.from("2a00:1:2:3:4::1")))
                .isEqualTo(key(ClientAddress.ofPeer(), Requests.from("2a00:1:2:3:ffff::2")))
                .isNotEqualTo(key(ClientAddress.ofPeer(), Requests.from("2a00:1:2:4::1")));
        assertThat(key(ClientAddress.ofPeer().ipv6Prefix(56), Requests.from("2a00:1:2:3ab::1")))
                .isEqualTo("2a00:1:2:300:0:0:0:0/56");
        assertThat(key(ClientAddress.ofPeer().ipv4Prefix(24), Requests.from("192.0.2.77")))
                .isEqualTo("192.0.2.0/24");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClientAddress.ofPeer().ipv6Prefix(129))
                .withMessageContaining("129");
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 16})
    @DisplayName("a prefix of any length holds whoever shares as many bits, and nobody who differs in the last of them")
    void prefixesOfAnyLength(int bytes) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        byte[] address = new byte[bytes];
        random.nextBytes(address);
        address[0] = (byte) (0x20 | random.nextInt(16)); // neither private nor a mapped IPv4 address
        for (int prefix = 1; prefix <= 8 * bytes; prefix++) {
            byte[] inside = address.clone();
            for (int bit = prefix; bit < 8 * bytes; bit++) {
                if (random.nextBoolean()) {
                    flip(inside, bit);
                }
            }
            byte[] outside = inside.clone();
            flip(outside, prefix - 1);
            String about = "seed %d, %s/%d, inside %s, outside %s"
                    .formatted(seed, text(address), prefix, text(inside), text(outside));

            ClientAddress whole = ClientAddress.ofPeer().ipv6Prefix(128);
            ClientAddress client = bytes == 4 ? whole.ipv4Prefix(prefix) : whole.ipv6Prefix(prefix);
            assertThat(key(client, Requests.from(text(inside))))
                    .as(about)
                    .isEqualTo(key(client, Requests.from(text(address))))
                    .isNotEqualTo(key(client, Requests.from(text(outside))));

            ClientAddress trusting = ClientAddress.trusting(text(address) + "/" + prefix);
            assertThat(key(trusting, Requests.from(text(inside), FIELD, "1.2.3.4")))
                    .as(about)
                    .isEqualTo("1.2.3.4");
            assertThat(key(trusting, Requests.from(text(outside), FIELD, "1.2.3.4")))
                    .as(about)
                    .isNotEqualTo("1.2.3.4");
        }
    }

    private static void flip(byte[] address, int bit) {
        address[bit / 8] ^= (byte) (0x80 >> (bit % 8));
    }

    private static String text(byte[] address) {
        try {
            return InetAddress.getByAddress(address).getHostAddress();
        } catch (UnknownHostException impossible) {
            throw new AssertionError("4 or 16 bytes", impossible);
        }
    }

    @Test
    @DisplayName("another field may carry the address")
    void otherField() {
        ServerWebExchange exchange = Requests.from("10.0.0.1", "True-Client-IP", "1.2.3.4");
        assertThat(key(behindProxies.from("true-client-ip"), exchange)).isEqualTo("1.2.3.4");
    }

    @Test
    @DisplayName("a field that is no list of addresses is refused, and what is missing is named")
    void wrongField() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> behindProxies.from("forwarded"))
                .withMessageContaining("forwarded");
        assertThatNullPointerException()
                .isThrownBy(() -> behindProxies.from(null))
                .withMessage("name");
        assertThatNullPointerException()
                .isThrownBy(() -> ClientAddress.trusting("10.0.0.1", null))
                .withMessage("proxies[1]");
        assertThatNullPointerException()
                .isThrownBy(() -> ClientAddress.trusting((String[]) null))
                .withMessage("proxies");
    }

    @Test
    @DisplayName("a request without a peer has no key, nor has one whose peer was not resolved")
    void noPeer() {
        assertThat(behindProxies.keyOf(Requests.get("/")).blockOptional()).isEmpty();
        ServerWebExchange unresolved = MockServerWebExchange.from(
                MockServerHttpRequest.get("/").remoteAddress(InetSocketAddress.createUnresolved("client.example", 1)));
        assertThat(behindProxies.keyOf(unresolved).blockOptional()).isEmpty();
    }

    @Test
    @DisplayName("where Spring has put what the client wrote in the place of the peer, a request has no key")
    void claimedPeer() {
        ServerHttpRequest claimed = new ForwardedHeaderTransformer()
                .apply(MockServerHttpRequest.get("/")
                        .remoteAddress(new InetSocketAddress("10.0.0.1", 1))
                        .header("X-Forwarded-For", "203.0.113.7")
                        .build());
        ServerWebExchange exchange = Requests.get("/").mutate().request(claimed).build();
        assertThat(behindProxies.keyOf(exchange).blockOptional()).isEmpty();
        assertThat(ClientAddress.ofPeer().keyOf(exchange).blockOptional()).isEmpty();
    }

    @ParameterizedTest
    @DisplayName("a range that cannot be read is named")
    @ValueSource(
            strings = {
                "",
                "10.0.0.0/",
                "10.0.0.0/33",
                "10.0.0/8",
                "::1/129",
                "proxy.example",
                "10.0.0.0/-1",
                "10.0.0.0/8/8"
            })
    void wrongRanges(String range) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClientAddress.trusting(range))
                .withMessageContaining("'" + range + "'");
    }

    private static String key(ClientAddress address, ServerWebExchange exchange) {
        return address.keyOf(exchange).block();
    }
}
